/** `stepwell status`: its texts, its JSON and its exit codes, also without a server and with a refused token. */
import { service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { OverviewBody } from "../../../shared/api/contract/overview.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openScriptedServer, type ScriptedServer } from "../../harness/cli/scripted-server.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";

const shop = service({
  name: "Shop",
  handlers: {
    fail: async (_ctx: Context): Promise<void> => {
      throw new Error("the warehouse is closed");
    },
  },
});

let command: BuiltCommand;
let stage: LocalStage;
let server: ScriptedServer;

beforeAll(async () => {
  [command, stage, server] = await Promise.all([
    buildCommand(),
    openLocalStage({ services: [shop] }),
    openScriptedServer(),
  ]);
});

afterAll(async () => {
  await Promise.all([command.remove(), server.close()]);
  await stage.close();
});

const local = () => ({ STEPWELL_ADMIN_URL: stage.adminUri, STEPWELL_INGRESS_URL: stage.ingressUri });

function answered(body: Partial<OverviewBody>): void {
  const whole = { attention: [], causes: [], circuits: [], open: {}, overdue: 0, ...body };
  server.answer(() => ({ status: 200, body: JSON.stringify(whole) }));
}

async function told(body: Partial<OverviewBody>): Promise<string> {
  answered(body);
  const { stdout, stderr, code } = await command.run(["status"], { env: server.env });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

const SINCE = new Date(Date.now() - 3 * 3_600_000 - 60_000).toISOString();
const CAUSE = {
  kind: "paused",
  service: "Shop",
  handler: "order",
  cause: "c1",
  text: "RT0007 no\u009b2Jstock",
  since: SINCE,
  count: 20,
  looked_at: 20,
  among: 300,
} as OverviewBody["causes"][number];

it("without work nothing needs an operator, and the count has its number", async () => {
  expect(await told({})).toBe("Nothing needs you: 0 invocations are open.\n");
  expect(await told({ open: { running: 1 } })).toBe("Nothing needs you: 1 invocation is open.\n");
  expect(await told({ open: { running: 1, suspended: 2 } })).toBe("Nothing needs you: 3 invocations are open.\n");
});

it("nothing is claimed about invocations that were not read", async () => {
  expect(await told({ open: { running: 7 }, at_least: true })).toBe(
    "Nothing that needs you was found: at least 7 invocations are open, and some of them were not read.\n",
  );
});

it("open circuits come first, then causes with their ids, then what is overdue; controls do not act", async () => {
  const circuit = {
    service: "Shop",
    deployment_id: "dp_1",
    open_since: SINCE,
    waiting: 4,
    reason: "RT0010 refused\nmore",
  };
  const text = await told({
    circuits: [circuit as OverviewBody["circuits"][number]],
    causes: [CAUSE],
    overdue: 2,
    open: { paused: 300, suspended: 5 },
  });
  expect(text.split("\n").map((line) => line.replaceAll(/ {2,}/g, "  ").trim())).toEqual([
    "CIRCUIT  DEPLOYMENT  OPEN FOR  WAIT  REASON",
    "Shop  dp_1  3h  4  RT0010 refused",
    "",
    "COUNT  STATE  TARGET  SINCE  CAUSE  CAUSE ID",
    "≥ 20  paused  Shop/order  3h  RT0007 no\ufffd2Jstock  c1",
    "",
    "2 overdue: `stepwell invocations list --status open`",
    "",
    "305 invocations are open.",
    "",
  ]);
});

it("--json is the answer of the server", async () => {
  answered({ causes: [CAUSE], open: { paused: 20 } });
  const { stdout, stderr, code } = await command.run(["status", "--json"], { env: server.env });
  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject({ causes: [{ cause: "c1", count: 20 }], open: { paused: 20 }, overdue: 0 });
});

it("the cause of a real failure is shown, and its id selects the invocations of the cause", async () => {
  const { stdout: sent } = await command.run(["send", "Shop/fail", "--json"], { env: local() });
  const { invocation_id: id } = JSON.parse(sent) as { invocation_id: string };
  const causes = async (): Promise<OverviewBody["causes"]> =>
    (JSON.parse((await command.run(["status", "--json"], { env: local() })).stdout) as OverviewBody).causes;
  await expect.poll(causes).toMatchObject([{ kind: "failing", service: "Shop", handler: "fail", count: 1 }]);
  const [{ cause } = { cause: "" }] = await causes();
  const listed = await command.run(["inv", "ls", "--cause", cause!, "--ids"], { env: local() });
  expect(listed.stdout).toBe(`${id}\n`);
  await command.run(["inv", "kill", id, "--yes"], { env: local() });
});

it.each([
  ["no server answers", { STEPWELL_ADMIN_URL: "http://127.0.0.1:1/" }, 3, "No server answers at http://127.0.0.1:1/"],
  ["the ingress answers", { STEPWELL_ADMIN_URL: "INGRESS" }, 3, "is not an admin API"],
  ["the token is refused", { STEPWELL_ADMIN_URL: "ADMIN", STEPWELL_AUTH_TOKEN: "wrong" }, 1, "token"],
] as const)(
  "if %s, the command ends with the exit code for it, in text and in JSON",
  async (_what, given, exit, words) => {
    const env: Record<string, string> = { ...given };
    env["STEPWELL_ADMIN_URL"] = env["STEPWELL_ADMIN_URL"]!.replace("INGRESS", stage.ingressUri).replace(
      "ADMIN",
      stage.adminUri,
    );
    const text = await command.run(["status"], { env });
    expect([text.code, text.stdout]).toEqual([exit, ""]);
    expect(text.stderr).toContain(words);
    expect(text.stderr).toMatch(/\n {2}fix /);
    const json = await command.run(["status", "--json"], { env });
    expect([json.code, json.stdout]).toEqual([exit, ""]);
    const { error } = JSON.parse(json.stderr) as { error: { message: string; exit_code: number } };
    expect([error.exit_code, JSON.stringify(error)]).toEqual([exit, expect.stringContaining(words)]);
  },
);

it("the command says that a server without the route has another version", async () => {
  server.answer(({ path }) =>
    path === "/version"
      ? { status: 200, body: JSON.stringify({ product: "stepwell", product_version: "0.1.0" }) }
      : { status: 404, body: "" },
  );
  const { stderr, code } = await command.run(["status"], { env: server.env });
  expect([code, stderr]).toEqual([1, expect.stringContaining("version 0.1.0")]);
});
