/** A command that cannot start prints a code, a remedy and a place to read on, and exits with 3. */
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ERRORS, type ErrorCode } from "../../shared/core/errors/error-table.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { buildCommand, type BuiltCommand } from "./command.ts";

const READY = /Stepwell is ready/;

let command: BuiltCommand;
let dir: string;
beforeAll(async () => {
  command = await buildCommand();
});
afterAll(() => command.remove());
beforeEach(async () => {
  dir = await temporaryDirectory();
  // These run after what a hook returns, and the last one first: what the test started in the directory ends before.
  onTestFinished(() => removeDirectory(dir));
});

const dev = (...more: string[]): string[] => ["dev", "--data-dir", join(dir, "data"), "--no-register", ...more];

async function refused(
  code: ErrorCode,
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<string> {
  const ended = await command.start(args, settings).end();
  expect(ended).toEqual({ code: 3, stderr: expect.stringContaining(`${code}: ${ERRORS[code].title}\n  cause  `) });
  expect(ended.stderr).toContain(`\n  fix    ${ERRORS[code].remedy}`);
  expect(ended.stderr).toContain(`\n  see    stepwell explain ${code}\n`);
  return ended.stderr;
}

function configFile(text: string): string {
  const file = join(dir, "stepwell.toml");
  writeFileSync(file, text);
  return file;
}

describe("RT0002", () => {
  test.each([
    ["no TOML", "[worker\n", /stepwell\.toml, line 1, column \d+/],
    [
      "a value of another form",
      "[worker.invoker]\n\nabort_timeout = 5\n",
      /stepwell\.toml, line 3: worker\.invoker\.abort-timeout: 5 is not a duration/,
    ],
    [
      "a size without sense",
      'worker.invoker.message_size_limit = "much"',
      /line 1: .*message-size-limit: "much" is not a size/,
    ],
    ["a setting under its alias", 'journal_retention = "long"', /line 1: journal-retention: "long" is not a duration/],
  ])("names the file, the line and the key: %s", async (_what, text, where) => {
    expect(await refused("RT0002", dev("--config-file", configFile(text)))).toMatch(where);
  });

  test("names a file that does not exist", async () => {
    expect(await refused("RT0002", dev("--config-file", join(dir, "gone.toml")))).toContain(join(dir, "gone.toml"));
  });

  test.each([
    ["STEPWELL_WORKER__INVOKER__ABORT_TIMEOUT", "soon"],
    ["STEPWELL_MAX_JOURNAL_RETENTION", "7"],
    ["STEPWELL_DEFAULT_RETRY_POLICY__ON_MAX_ATTEMPTS", "cry"],
    ["STEPWELL_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE", ""],
  ])("names the variable %s", async (variable, value) => {
    expect(await refused("RT0002", dev(), { [variable]: value })).toContain(
      `the environment variable ${variable}: ${JSON.stringify(value)} is not`,
    );
  });

  test("is not the answer to an unknown setting: a warning names it, and the process starts", async () => {
    const file = configFile('[worker.invoker]\nabort_timeuot = "1s"\n[worker]\nbuffer_in_bytes = 3\n');
    const settings = { STEPWELL_WORKER__INVOKER__ABORT_TIMEOUTS: "1s", STEPWELL_JOURNAL_RETENTION: "2d" };
    const running = command.start(dev("--config-file", file), { ...settings, STEPWELL_MAX_JOURNAL_RETENTION: "1d" });
    const told = await running.told(READY);
    expect(told).toMatch(/line 2: worker\.invoker\.abort-timeuot; did you mean worker\.invoker\.abort-timeout\?/);
    expect(told).toMatch(/line 4: worker\.buffer-in-bytes/);
    expect(told).toMatch(/ABORT_TIMEOUTS; did you mean STEPWELL_WORKER__INVOKER__ABORT_TIMEOUT\?/);
    expect(told).toMatch(/WARN .*\[RT0022\] default-journal-retention \(172800000 ms\)/);
    expect(await running.end("SIGTERM")).toMatchObject({ code: 0 });
  });
});

test.each(["STEPWELL_INGRESS__PORT", "STEPWELL_ADMIN__PORT"])(
  "RT0004 names the address that %s asks for",
  async (variable) => {
    const holder = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void holder.close());
    await once(holder, "listening");
    const port = String((holder.address() as AddressInfo).port);
    expect(await refused("RT0004", dev(), { [variable]: port })).toMatch(
      new RegExp(`127\\.0\\.0\\.1:${port}: .*EADDRINUSE`),
    );
  },
);

// On other systems only an additional program finds the process that uses a port.
test.skipIf(process.platform !== "linux")("RT0004 names the process that uses the port", async () => {
  const holder = command.start(dev());
  const told = await holder.told(READY);
  const port = /admin=http:\/\/127\.0\.0\.1:(\d+)\//.exec(told)![1]!;
  const other = ["dev", "--data-dir", join(dir, "other"), "--admin-port", port];
  // The command searches for half a second, and refuses without the name if the machine is too busy for the search.
  await expect
    .poll(() => refused("RT0004", other))
    .toContain(`; the port is used by process ${holder.pid} (node stepwell.js)\n`);
  await holder.end("SIGTERM");
});

test("RT0005 names the directory that a living process holds, and a killed process holds nothing", async () => {
  const first = command.start(dev());
  await first.told(READY);
  expect(await refused("RT0005", dev())).toContain(join(dir, "data", "meta"));
  await first.end("SIGKILL");
  const second = command.start(dev());
  await second.told(READY);
  expect(await second.end("SIGTERM")).toMatchObject({ code: 0 });
});

describe("RT0900", () => {
  // Root may write to a directory of any mode, so the command that root starts runs without the capabilities that allow this.
  const UNDER = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
  const args = (name: string): string[] => ["dev", "--data-dir", join(dir, name), "--no-register"];

  async function refusedAt(name: string): Promise<string> {
    const { code, stderr } = await command.start(args(name), {}, UNDER).end();
    expect([code, stderr]).toEqual([3, expect.stringContaining(`RT0900: ${ERRORS.RT0900.title}\n  cause  `)]);
    expect(stderr).toContain(`\n  fix    ${ERRORS.RT0900.remedy}`);
    return stderr;
  }

  test("names the directory in which no store may be made", async () => {
    mkdirSync(join(dir, "closed"));
    chmodSync(join(dir, "closed"), 0o500);
    expect(await refusedAt("closed/data")).toMatch(/EACCES: permission denied, mkdir '.*closed\/data'/);
  });

  test("is the answer if a store may not be read or written, and the process starts once the modes are restored", async () => {
    const first = command.start(args("data"), {}, UNDER);
    await first.told(READY);
    await first.end("SIGTERM");
    for (const [place, mode, why] of [
      ["data/meta", 0o300, /EACCES: permission denied, scandir/],
      ["data/meta/VERSION", 0o000, /EACCES: permission denied, open/],
      ["data/journal/db", 0o500, /Permission denied/],
    ] as const) {
      const { mode: before } = statSync(join(dir, place));
      chmodSync(join(dir, place), mode);
      expect(await refusedAt("data"), place).toMatch(why);
      chmodSync(join(dir, place), before);
    }
    const again = command.start(args("data"), {}, UNDER);
    await again.told(READY);
    expect(await again.end("SIGTERM")).toMatchObject({ code: 0 });
  });
});

describe("a command whose stores have a place each", () => {
  const VARIABLES = { meta: "STEPWELL_META__STORAGE_PATH", journal: "STEPWELL_WORKER__STORAGE_ROCKSDB__PATH" } as const;
  const placesIn = (folder: string): Record<string, string> => ({
    [VARIABLES.meta]: join(folder, "the meta"),
    [VARIABLES.journal]: join(folder, "the journal"),
  });
  const places = (): Record<string, string> => placesIn(dir);
  /** The directory with the stores of a process that has ended; each test gets a copy of these stores. */
  let made: string;

  beforeAll(async () => {
    made = await temporaryDirectory();
    const running = command.start(["dev", "--data-dir", join(made, "data")], placesIn(made));
    await running.told(READY);
    await running.end("SIGTERM");
  });
  afterAll(() => removeDirectory(made));
  beforeEach(() => cpSync(made, dir, { recursive: true }));

  test("starts again if nothing has changed", async () => {
    const running = command.start(dev(), places());
    await running.told(READY);
    await running.end("SIGTERM");
  });

  test.each([
    ["meta", "older", "META0010"],
    ["meta", "newer", "META0010"],
    ["meta", "missing", "META0011"],
    ["meta", "damaged", "META0010"],
    ["journal", "older", "RT0009"],
    ["journal", "newer", "RT0009"],
    ["journal", "missing", "RT0009"],
    ["journal", "damaged", "RT0009"],
  ] as const)("refuses a start with a %s store whose version is %s: %s", async (kind, version, code) => {
    const place = places()[VARIABLES[kind]]!;
    const file = join(place, "VERSION");
    if (version === "missing") rmSync(file);
    else if (version === "damaged") writeFileSync(file, "{");
    else writeFileSync(file, JSON.stringify({ format: version === "older" ? 0 : 999, kind }));
    expect(await refused(code, dev(), places())).toContain(place);
  });

  test("does not take one store for the other", async () => {
    const { [VARIABLES.meta]: meta, [VARIABLES.journal]: journal } = places();
    const swapped = { [VARIABLES.meta]: journal!, [VARIABLES.journal]: meta! };
    expect(await refused("META0010", dev(), swapped)).toContain("is a journal store, not a meta store");
  });

  test("refuses to start on a directory with other content", async () => {
    const place = join(dir, "pictures");
    mkdirSync(place);
    writeFileSync(join(place, "cat.png"), "");
    expect(await refused("META0011", dev(), { [VARIABLES.meta]: place })).toContain(place);
    expect(await refused("RT0009", dev(), { ...places(), [VARIABLES.journal]: place })).toContain(place);
  });
});
