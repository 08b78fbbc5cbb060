/** Triggers error codes by commands, in the same cases as the tests of the admin API; checks output, remedy and exit code. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { refusesStart } from "../../shared/core/errors/error-entry.ts";
import { ERROR_CODES, ERRORS, type ErrorCode } from "../../shared/core/errors/error-table.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { buildCommand, type BuiltCommand, type Ran } from "../harness/cli/built-command.ts";
import { scribe } from "../harness/cli/transcript.ts";
import { REFUSED_REGISTRATIONS, REFUSED_START_ENVIRONMENTS, REFUSED_STARTS } from "./provocations.ts";
import { openStage } from "./stage.ts";

/** No command of this file causes these codes: META0009 refuses a subscription, and META0016 an update in place. */
const WITHOUT_COMMAND = ["META0009", "META0016", "META0901"];

const EXIT_REFUSED = 1;
const EXIT_NO_SERVER = 3;

let command: BuiltCommand;
beforeAll(async () => {
  command = await buildCommand();
});
afterAll(() => command.remove());

const transcript = (name: string): string => `./at-command-line/${name}.txt`;

/** The first line has the code and the title; the lines below have the cause, the remedy and the place to read on. */
function expectLines(text: string, code: ErrorCode): void {
  const { title, remedy } = ERRORS[code];
  const [first, cause, fix, see, ...more] = text.replaceAll(/^! /gm, "").split("\n").slice(1);
  expect(first).toBe(`${code}: ${title}`);
  expect(cause).toMatch(/^ {2}cause {2}\S/);
  expect(fix).toSatisfy((line: string) => line.startsWith(`  fix    ${remedy}`));
  expect(see).toBe(`  see    stepwell explain ${code}`);
  expect(more[0]).toMatch(/^\[exit \d\]$/);
}

function expectObject({ stdout, stderr, code: exitCode }: Ran, code: ErrorCode): void {
  expect(stdout).toBe("");
  const { title, remedy } = ERRORS[code];
  const fix: unknown = expect.stringContaining(remedy);
  const cause: unknown = expect.stringMatching(/\S/);
  expect(JSON.parse(stderr)).toEqual({ error: { code, message: title, cause, fix, exit_code: exitCode } });
}

describe("stepwell deployments register", () => {
  test.each(Object.entries(REFUSED_REGISTRATIONS))("is refused with %s", async (name, prepare) => {
    const code = name as ErrorCode;
    const stage = await openStage();
    const { address, force } = await prepare(stage);
    const before = (await stage.admin("GET", "deployments")).body;
    const env = { STEPWELL_ADMIN_URL: stage.local.adminUrl };
    const line = `deployments register ${address}${force === true ? " --force" : ""} --yes`;
    const script = scribe(command, env);
    expect(await script.run(line)).toBe(EXIT_REFUSED);
    expectLines(script.text, code);
    const ran = await command.run([...line.split(" "), "--json"], { env });
    expect(ran.code).toBe(EXIT_REFUSED);
    expectObject(ran, code);
    expect((await stage.admin("GET", "deployments")).body).toEqual(before);
    await expect(script.text).toMatchFileSnapshot(transcript(code));
  });
});

test("a command without the token of the server is refused with META0018", async () => {
  const stage = await openStage();
  const { adminUrl, dataDir } = stage.local;
  const env = { STEPWELL_ADMIN_URL: adminUrl, STEPWELL_AUTH_TOKEN: "of-another-server" };
  const script = scribe(command, env, [[dataDir, "<data-dir>"]]);
  expect(await script.run("deployments list")).toBe(EXIT_REFUSED);
  expectLines(script.text, "META0018");
  expectObject(await command.run(["deployments", "list", "--json"], { env }), "META0018");
  await expect(script.text).toMatchFileSnapshot(transcript("META0018"));
});

describe("stepwell dev", () => {
  test.each(Object.entries(REFUSED_STARTS))("does not start: %s", async (name, prepare) => {
    const code = name as ErrorCode;
    const dir = await temporaryDirectory();
    onTestFinished(() => removeDirectory(dir));
    const flags = await prepare(dir);
    const args = ["dev", "--data-dir", dir, "--ingress-port", "0", ...free(flags), ...flags];
    const ports = flags.filter((flag) => /^\d{4,5}$/.test(flag));
    const env = REFUSED_START_ENVIRONMENTS[code] ?? {};
    const written = [[dir, "<data-dir>"] as const, ...ports.map((port) => [port, "<port>"] as const)];
    const script = scribe(command, env, written);
    expect(await script.run(args.join(" "))).toBe(EXIT_NO_SERVER);
    expectLines(script.text, code);
    const ran = await command.run([...args, "--json"], { env });
    expect(ran.code).toBe(EXIT_NO_SERVER);
    expectObject(ran, code);
    await expect(script.text.replaceAll(HOLDER, "")).toMatchFileSnapshot(transcript(`${code}-dev`));
  });
});

/** On Linux the message also names the holder of the busy port: the process of the tests, which differs from run to run. */
const HOLDER = /; the port is used by process \d+ \(.*\)$/gm;

function free(flags: readonly string[]): readonly string[] {
  return flags.includes("--admin-port") ? [] : ["--admin-port", "0"];
}

test("each META code, and each code that keeps the process from starting, has a command here or is listed as without one", () => {
  const codes = ERROR_CODES.filter((code) => code.startsWith("META") || refusesStart(ERRORS[code].outcome));
  const met = ["META0018", ...Object.keys(REFUSED_REGISTRATIONS), ...Object.keys(REFUSED_STARTS)];
  expect(new Set([...met, ...WITHOUT_COMMAND])).toEqual(new Set(codes));
  const atStart = ERROR_CODES.filter((code) => refusesStart(ERRORS[code].outcome));
  expect(new Set(Object.keys(REFUSED_STARTS))).toEqual(new Set(atStart));
});
