/** Sends to the reference server and to Stepwell the requests, commands and statements that docs/compatibility.md cites. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld, runRestate, type World } from "./cli-world.ts";
import { REFERENCE, startServer } from "./contestants.mjs";
import { TOUR_SERVICES } from "./tour-services.ts";
import { fetch } from "../harness/local/admin-access.ts";

const PAGE = await readFile(join(import.meta.dirname, "../../docs/compatibility.md"), "utf8");

interface Cited {
  readonly asked: string;
  readonly theirs: string;
  readonly ours: string;
}

/** The rows of the table whose first column has this head. */
function rowsUnder(head: string): Cited[] {
  const [, after = ""] = PAGE.split(`| ${head} |`);
  const lines = after.split("\n").slice(2);
  const rows = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith("|")),
  );
  return rows.map((row) => {
    const [, asked = "", theirs = "", ours = ""] = row.split(" | ").join("|").split("|");
    return { asked: asked.trim(), theirs: theirs.trim(), ours: ours.trim() };
  });
}

/** The text in code style at the beginning of a cell. */
function codeOf(cell: string): string {
  return /^`([^`]+)`/.exec(cell)![1]!;
}

interface Side {
  readonly adminUrl: string;
  readonly ingressUrl: string;
}

let world: World;
let theirs: Side;
let ours: Side;
let stop: () => Promise<void>;

beforeAll(async () => {
  world = await openWorld(TOUR_SERVICES);
  const dir = await mkdtemp(join(tmpdir(), "stepwell-cited-"));
  const reference = await startServer(REFERENCE, dir);
  stop = async () => {
    await reference.stop();
    await world.stop();
    await rm(dir, { recursive: true, force: true });
  };
  ours = { adminUrl: world.adminUrl.replace(/\/$/, ""), ingressUrl: world.ingressUrl.replace(/\/$/, "") };
  theirs = reference;
  for (const side of [theirs, ours]) {
    await sent(side, "POST /deployments");
    await ask(`${side.ingressUrl}/Counter/a/add`, "POST", 3);
    await ask(`${side.ingressUrl}/Greeter/greet`, "POST", "Ann");
  }
});
afterAll(() => stop?.());

async function ask(url: string, method: string, body?: unknown) {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { "content-type": "application/json", accept: "application/json" };
  const response = await fetch(url, { method, headers, ...init });
  return { status: response.status, text: await response.text() };
}

const BODIES: Readonly<Record<string, () => unknown>> = {
  "/deployments": () => ({ uri: world.deploymentUrl, use_http_11: true }),
};

async function sent({ adminUrl }: Side, request: string) {
  const [method = "", path = ""] = request.split(" ");
  return await ask(`${adminUrl}${path}`, method, method === "GET" ? undefined : (BODIES[path]?.() ?? {}));
}

async function queried({ adminUrl }: Side, query: string) {
  return await ask(`${adminUrl}/query`, "POST", { query });
}

describe("requests", () => {
  test.each(rowsUnder("Request to the admin API"))("$asked", async (cited) => {
    for (const [side, told] of [
      [theirs, cited.theirs],
      [ours, cited.ours],
    ] as const) {
      const { status, text } = await sent(side, codeOf(cited.asked));
      const empty = told.includes("without a body");
      expect({ status, empty: text === "" }).toEqual({ status: Number(told.split(" ")[0]), empty });
    }
  });
});

describe("commands", () => {
  test.each(rowsUnder("Command of `restate`"))("$asked", async (cited) => {
    const args = codeOf(cited.asked).split(" ");
    const codes = [theirs, ours].map(async ({ adminUrl }) => (await runRestate(adminUrl, [...args, "--yes"])).code);
    expect((await Promise.all(codes)).map((code) => `exit ${code}`)).toEqual([cited.theirs, cited.ours]);
  });
});

describe("statements", () => {
  test.each(rowsUnder("Statement"))("$asked", async (cited) => {
    const statement = codeOf(cited.asked);
    const answers = await Promise.all([queried(theirs, statement), queried(ours, statement)]);
    const words = answers.map(({ status }) => (status === 200 ? "answered" : "refused"));
    expect(words, answers.map(({ text }) => text.slice(0, 300)).join("\n")).toEqual([cited.theirs, cited.ours]);
  });

  const same = /```sql\n([^`]+)\n```/.exec(PAGE)![1]!.split("\n");
  test.each(same)("%s", async (statement) => {
    const [own, their] = await Promise.all([queried(ours, statement), queried(theirs, statement)]);
    expect([own.status, their.status], `${own.text.slice(0, 300)}\n${their.text.slice(0, 300)}`).toEqual([200, 200]);
    const hasRows = ({ text }: { readonly text: string }) => (JSON.parse(text) as { rows: object[] }).rows.length > 0;
    expect(hasRows(own)).toBe(hasRows(their));
  });
});
