/**
 * Runs the steps of docs/security.md for erasing a person's data: afterwards the person's text is gone from the API and the
 * disk, and the text of a neighbour is still there.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as restate from "@restatedev/restate-sdk";
import { ClassicLevel } from "classic-level";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TABLE_SHAPES } from "../../shared/core/query/table-shapes.ts";
import { buildCommand, type BuiltCommand } from "../harness/cli/built-command.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { fetch } from "../harness/local/admin-access.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

const mailer = restate.service({
  name: "Mailer",
  handlers: { mail: async (_ctx: restate.Context, text: string) => `mailed ${text}` },
});
const audit = restate.object({
  name: "Audit",
  handlers: { note: async (ctx: restate.ObjectContext, text: string) => ctx.set("noted", text) },
});
const profile = restate.object({
  name: "Profile",
  handlers: {
    save: async (ctx: restate.ObjectContext, text: string) => {
      ctx.set("text", text);
      ctx.set("large", text.repeat(20_000));
      await ctx.serviceClient(mailer).mail(text);
      ctx.objectSendClient(audit, ctx.key).note(text);
      return text;
    },
    waits: async (ctx: restate.ObjectContext, text: string) => {
      ctx.set("waits", text);
      return await ctx.awakeable<string>().promise;
    },
  },
});
const signup = restate.workflow({
  name: "Signup",
  handlers: {
    run: async (ctx: restate.WorkflowContext, text: string) => {
      ctx.set("text", text);
      await ctx.promise<string>("answer").resolve(text);
      return text;
    },
  },
});

interface Person {
  readonly key: string;
  readonly idempotencyKey: string;
  /** The text in inputs, results, states and promises. */
  readonly text: string;
}
const ADA: Person = { key: "ada@example.com", idempotencyKey: "newsletter-of-ada", text: "the-diary-of-ada" };
const BOB: Person = { key: "bob@example.com", idempotencyKey: "newsletter-of-bob", text: "the-diary-of-bob" };

let command: BuiltCommand;
let stage: LocalStage;
/** A directory with the `stepwell` command and its packages. */
let folder: string;

beforeAll(async () => {
  [command, stage] = await Promise.all([
    buildCommand(),
    openLocalStage({ services: [mailer, audit, profile, signup] }),
  ]);
  folder = mkdtempSync(join(tmpdir(), "stepwell-erasure-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "stepwell"), `#!/bin/sh\nexec "${process.execPath}" "${command.path}" "$@"\n`, {
    mode: 0o755,
  });
});

afterAll(async () => {
  await Promise.all([command.remove(), stage.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Finds the one code block with `words` in the section on erasure, fills in its placeholders, and runs the block. */
async function follow(words: string, filled: Readonly<Record<string, string>>): Promise<string> {
  const page = readFileSync(join(ROOT, "docs/security.md"), "utf8");
  const section = page.split("\n## Erase a person's data\n")[1]!.split("\n## ")[0]!;
  const indented = section.matchAll(/^( *)```sh\n(.*?)^ *```$/gms);
  const blocks = [...indented].map(([, indent, block]) => block!.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
  const found = blocks.filter((block) => block.includes(words));
  expect([words, found.length]).toEqual([words, 1]);
  let script = found[0]!.replaceAll("http://localhost:9070", stage.adminUri);
  for (const [name, value] of Object.entries(filled)) script = script.replaceAll(`<${name}>`, value);
  expect(script).not.toMatch(/<[a-z]/);
  const access = { STEPWELL_ADMIN_URL: stage.adminUri, STEPWELL_AUTH_TOKEN: stage.local.adminToken };
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, ...access };
  const { stdout } = await run("bash", ["-c", `set -eu\n${script}`], { env, cwd: folder });
  return stdout;
}

interface Row {
  readonly id: string;
  readonly target?: string;
  readonly status?: string;
}
const rowsIn = (stdout: string): readonly Row[] => (JSON.parse(stdout) as { rows: Row[] }).rows;
const idsIn = (stdout: string): readonly string[] => rowsIn(stdout).map(({ id }) => id);

/** Finds invocations by names, then their calls and sends, and finally invocations by content. */
async function findAll({ key, idempotencyKey, text }: Person): Promise<ReadonlySet<string>> {
  const names = { key, "idempotency-key": idempotencyKey, caller: "nobody" };
  const found = new Set(idsIn(await follow("target_service_key", names)));
  for (let before = -1; found.size > 0 && before < found.size;) {
    before = found.size;
    for (const id of idsIn(await follow("invoked_by_id", { ids: [...found].join("', '") }))) found.add(id);
  }
  const bytes = (await follow("Buffer.from", { text })).trim();
  for (const id of idsIn(await follow("entry_json", { bytes }))) found.add(id);
  return found;
}

/** Every row of every table; from tables that are read by key, the rows of both persons. */
async function everythingTold(): Promise<string> {
  const told: string[] = [];
  for (const { name } of TABLE_SHAPES) {
    const ofKey = `WHERE service_name IN ('Profile', 'Audit', 'Signup') AND service_key IN ('${ADA.key}', '${BOB.key}')`;
    const query = `SELECT * FROM ${name} ${["state", "sys_promise"].includes(name) ? ofKey : ""}`;
    const headers = { "content-type": "application/json", accept: "application/json" };
    const response = await fetch(`${stage.adminUri}/query`, {
      method: "POST",
      headers,
      body: JSON.stringify({ query }),
    });
    expect([name, response.status]).toEqual([name, 200]);
    told.push(await response.text());
  }
  return told.join("\n");
}

async function live({ key, idempotencyKey, text }: Person): Promise<void> {
  const post = async (path: string, more: Readonly<Record<string, string>> = {}, input = text) => {
    const headers = { "content-type": "application/json", "x-about": text, ...more };
    const body = JSON.stringify(input);
    const response = await fetch(`${stage.ingressUri}${path}`, { method: "POST", headers, body });
    expect([path, response.ok]).toEqual([path, true]);
  };
  await post(`/Profile/${key}/save`);
  await post(`/Signup/${key}/run`);
  await post("/Mailer/mail", { "idempotency-key": idempotencyKey });
  await post("/Mailer/mail");
  await post(`/Profile/${key}/waits/send`);
  // The first waits for the key, the others for their start.
  await post(`/Profile/${key}/save/send`);
  await post(`/Profile/${key}/save/send?delay=1d`, {}, text.repeat(20_000));
  await post("/Mailer/mail/send?delay=1d", { "idempotency-key": `${idempotencyKey} later` });
  const isThere = async () => rowsIn(await follow("target_service_key", { key, "idempotency-key": "", caller: "" }));
  await expect.poll(async () => (await isThere()).filter(({ status }) => status === "completed").length).toBe(3);
}

/** The open ones of these ids, the youngest first. */
async function openAmong(ids: ReadonlySet<string>): Promise<readonly string[]> {
  const inOrder = idsIn(await follow("ORDER BY created_at", { "all-ids": [...ids].join("', '") }));
  const statuses = await Promise.all(
    inOrder.map(async (id) => {
      const shown = await fetch(`${stage.adminUri}/invocations/${id}`);
      return ((await shown.json()) as { status?: string }).status;
    }),
  );
  return inOrder.filter((_, at) => statuses[at] !== undefined && statuses[at] !== "completed");
}

const bytesOf = (text: string): string => Buffer.from(text).join();
const isIn = (told: string, text: string): boolean => told.includes(text) || told.includes(bytesOf(text));

/** Files on the disk that contain the text. */
function filesWith(text: string): readonly string[] {
  const files = readdirSync(stage.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return paths.filter((path) => readFileSync(path).includes(text));
}

/** The keys of all store entries whose key or value contains the text; the search includes compressed files. */
async function entriesWith(text: string): Promise<readonly string[]> {
  const encoding = { keyEncoding: "utf8", valueEncoding: "buffer" } as const;
  const found: string[] = [];
  for (const store of ["meta", "journal"]) {
    const database = new ClassicLevel<string, Buffer>(join(stage.dataDir, store, "db"), encoding);
    for await (const [key, value] of database.iterator()) {
      if (key.includes(text) || value.includes(text)) found.push(key);
    }
    await database.close();
  }
  return found;
}

const daysUntil = (expiresAtS: number): number => Math.round((expiresAtS - Date.now() / 1000) / 86_400);

test("the steps of docs/security.md remove all contents of a person, and keep those of a neighbour", async () => {
  await Promise.all([live(ADA), live(BOB)]);
  const found = await findAll(ADA);
  const shown = rowsIn(await follow("invoked_by_id", { ids: [...found].join("', '") }));
  expect(shown.map(({ target = "" }) => target).toSorted()).toEqual([`Audit/${ADA.key}/note`, "Mailer/mail"]);
  expect(found.size).toBe(10);

  const open = await openAmong(found);
  expect(open).toHaveLength(4);
  // The youngest first: the older one holds the key for which the younger waits.
  for (const id of open) await follow("invocations kill", { id });
  await expect.poll(() => openAmong(found)).toEqual([]);

  const inOrder = idsIn(await follow("ORDER BY created_at", { "all-ids": [...found].join("', '") }));
  expect([...found].filter((id) => !inOrder.includes(id)).toSorted(), "they never began").toEqual(
    open.slice(0, 3).toSorted(),
  );
  await follow("invocations purge", { "ids-in-order": [...open.slice(0, 3), ...inOrder].join(" ") });
  for (const service of ["Profile", "Audit"]) await follow("state clear", { service, key: ADA.key });
  for (const service of ["Profile", "Audit", "Signup"]) {
    for (const table of ["state", "sys_promise"]) {
      expect(rowsIn(await follow(`FROM ${table} `, { service, key: ADA.key }))).toEqual([]);
    }
  }
  expect([...(await findAll(ADA))]).toEqual([]);
  const told = await everythingTold();
  expect([isIn(told, ADA.text), told.includes(ADA.key), told.includes(ADA.idempotencyKey)]).toEqual([
    false,
    false,
    false,
  ]);
  expect([isIn(told, BOB.text), told.includes(BOB.key)]).toEqual([true, true]);

  // No entry contains the text any more; the files contain it until they are rewritten.
  await stage.local.stop();
  expect(await entriesWith(ADA.text)).toEqual([]);
  expect(filesWith(ADA.text)).not.toEqual([]);
  await follow("ClassicLevel", { "data-dir": stage.dataDir });
  expect(filesWith(ADA.text)).toEqual([]);
  expect(await entriesWith(ADA.text)).toEqual([]);
  expect((await entriesWith(BOB.text)).length).toBeGreaterThan(5);

  // These names stay, as docs/security.md says: the keys in empty locks and in a ticket, the name of a large value, and the
  // acceptances of children, which name their caller. The ticket may be missing: timing decides whether an invocation had to wait
  // for the key of the profile.
  const named = await entriesWith(ADA.key);
  const isOfLine = (text: string): boolean => text.includes("inbox#");
  const kinds = named
    .filter((key) => key.startsWith("i"))
    .map((key) => key.replace(/inv_\w+/, "<id>").replace("\0", " "));
  expect(kinds.filter((kind) => !isOfLine(kind)).toSorted()).toEqual([
    "iinv#<id> seg#000000",
    "iinv#<id> seg#000000",
    `iobj#Audit#${ADA.key} lock`,
    `iobj#Profile#${ADA.key} lock`,
    `iobj#Profile#${ADA.key} state#0#large`,
    `iobj#Signup#${ADA.key} lock`,
  ]);
  const inDays = named.flatMap((key) => {
    const [, expiresAtS, base] = /^x(\d{12})(.+)$/s.exec(key) ?? [];
    return base === undefined
      ? []
      : [`${base.split(/[#\0]/).at(1)} ${base.split("\0").at(1)}: ${daysUntil(Number(expiresAtS))}`];
  });
  expect(inDays.filter((text) => isOfLine(text) && !text.endsWith(": 30"))).toEqual([]);
  expect(inDays.filter((text) => !isOfLine(text)).toSorted()).toEqual([
    "Audit lock: 40",
    "Profile lock: 40",
    "Profile state#0#large: 7",
    "Signup lock: 1",
  ]);
});
