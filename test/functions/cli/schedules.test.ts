/** The output of `stepwell schedules` for people, scripts and programs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AppliedSchedules, BackfillBody, ScheduleBody } from "../../../shared/api/contract/schedules.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";

/** The inputs of the runs, as text. */
const inputs: string[] = [];
const nightly = async (ctx: Context): Promise<void> => void inputs.push(new TextDecoder().decode(ctx.request().body));
const reports = service({ name: "Reports", handlers: { nightly } });

let command: BuiltCommand;
let stage: LocalStage;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  const flags = { "log.level": "silent" } as const;
  [command, stage] = await Promise.all([buildCommand(), openLocalStage({ services: [reports], flags })]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri };
});

afterAll(async () => {
  await command.remove();
  await stage.close();
});

const run = (...args: readonly string[]) => command.run(["schedules", ...args], { env });
const json = async <Body>(...args: readonly string[]): Promise<Body> =>
  JSON.parse((await run(...args, "--json")).stdout) as Body;

it("a schedule is created, listed, described, paused, resumed, triggered, filled back and deleted", async () => {
  expect((await run("ls")).stdout).toContain("There is no schedule.");
  const when = ["--cron", "0 2 * * *", "--time-zone", "Europe/Berlin"];
  const made = await json<ScheduleBody>("create", "nightly", "Reports/nightly", ...when, "--data", '{"day":1}');
  expect(made).toMatchObject({ name: "nightly", service: "Reports", overlap: "skip", input: { day: 1 } });
  expect((await run("ls")).stdout).toMatch(
    /^nightly +active +20\d\d-.* UTC +0 2 \* \* \* \(Europe\/Berlin\) +Reports\/nightly/m,
  );
  const described = await run("describe", "nightly");
  expect(described.stdout).toMatch(/^When +0 2 \* \* \* \(Europe\/Berlin\)$/m);
  expect(described.stdout.match(/0[01]:00:00 UTC/g)).toHaveLength(10);
  expect(await run("pause", "nightly", "--note", "the source moves")).toMatchObject({ stdout: "Paused nightly\n" });
  expect((await run("describe", "nightly")).stdout).toMatch(/^Paused +20.*: the source moves$/m);
  expect((await run("resume", "nightly")).stdout).toMatch(/^Resumed nightly: next 20/);
  expect((await run("trigger", "nightly")).stdout).toMatch(/^Started inv_1/);
  const range = ["--from", "2026-01-01T00:00:00Z", "--to", "2026-01-04T00:00:00Z"];
  expect(await json<BackfillBody>("backfill", "nightly", ...range)).toMatchObject({ total: 3 });
  expect((await run("delete", "nightly")).code).toBe(4);
  expect((await run("delete", "nightly", "--yes")).stdout).toMatch(/Deleted nightly\n$/);
  expect((await run("describe", "nightly")).code).toBe(1);
});

it("the input of a run is what --data says, to the last digit", async () => {
  const input = '{"order":12345678901234567890}';
  await run("create", "digits", "Reports/nightly", "--every", "1d", "--data", input);
  await run("trigger", "digits");
  await expect.poll(() => inputs).toContain(input);
  await run("delete", "digits", "--yes");
});

it("apply makes the schedules equal to a file, and asks before it deletes", async () => {
  const file = join(stage.dataDir, "schedules.json");
  const of = (...names: readonly string[]) =>
    writeFileSync(
      file,
      JSON.stringify({
        schedules: names.map((name) => ({ name, service: "Reports", handler: "nightly", interval: "1h" })),
      }),
    );
  of("a", "b");
  const dry = await run("apply", "-f", file, "--dry-run");
  expect([dry.code, dry.stdout]).toEqual([
    0,
    "+ a\n+ b\nDry run, nothing is changed: 2 created, 0 changed, 0 deleted, 0 unchanged\n",
  ]);
  expect((await json<AppliedSchedules>("apply", "-f", file)).created).toEqual(["a", "b"]);
  of("b", "c");
  expect((await run("apply", "-f", file)).code).toBe(4);
  const applied = await json<AppliedSchedules>("apply", "-f", file, "--yes");
  expect(applied).toEqual({ created: ["c"], changed: [], unchanged: ["b"], deleted: ["a"], dry_run: false });
});

it.each([
  ["a target without a handler", ["create", "x", "Reports", "--every", "1h"], 2, /service\/handler/],
  ["neither cron nor interval", ["create", "x", "Reports/nightly"], 1, /META0901/],
  ["a bad cron line", ["create", "x", "Reports/nightly", "--cron", "never"], 1, /such as '0 2 \* \* \*'/],
  ["an invalid moment", ["backfill", "x", "--from", "soon", "--to", "2026-01-31T10:00:00Z"], 2, /2026-01-31/],
  ["a file that does not exist", ["apply", "-f", "/nonexistent"], 2, /path of a readable file/],
  ["a schedule that does not exist", ["trigger", "none"], 1, /no schedule 'none'/],
])("a command with %s says what is wrong", async (_what, args, code, text) => {
  const { code: exit, stderr } = await run(...args);
  expect(exit).toBe(code);
  expect(stderr).toMatch(text);
});

it("a file that is no JSON, or of another form, is refused with an example", async () => {
  const file = join(stage.dataDir, "bad.json");
  for (const content of ["nonsense", "[]"]) {
    writeFileSync(file, content);
    const { code, stderr } = await run("apply", "-f", file);
    expect(code).toBe(2);
    expect(stderr).toContain('{"schedules": [{"name": "nightly"');
  }
});
