/** A damaged data directory: the process refuses the start with a code, or serves the intact data; it never crashes. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  rmSync,
  truncateSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { startLocalProcess } from "../../functions/local/local-process.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { isStartRefusal } from "../../shared/wiring/start-refusals.ts";
import type { Log } from "../../shared/engine/ports/log.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { RecordingLog, silentLog } from "../recording-log.ts";
import { fetch, knowAdmin } from "../harness/local/admin-access.ts";

const GARBAGE = Buffer.alloc(100_000, 0xa7);

let dir: string;
beforeEach(async () => {
  dir = await temporaryDirectory();
  return () => removeDirectory(dir);
});

/** @returns the code of the refusal, or `starts` if the process starts and answers */
async function start(log: Log = silentLog): Promise<string> {
  const flags = { "ingress.port": "0", "admin.port": "0", "data-dir": join(dir, "data"), "shutdown-timeout": "50ms" };
  const { settings } = readSettings({ environment: {}, flags });
  try {
    const local = await startLocalProcess(settings, "0.0.0", log);
    knowAdmin(local.adminUrl, local.adminToken);
    const { status } = await fetch(`${local.adminUrl}deployments`);
    await local.stop();
    return status === 200 ? "starts" : String(status);
  } catch (error) {
    if (isStartRefusal(error)) return error.code;
    throw error;
  }
}

const journal = (...path: string[]): string => join(dir, "data/journal", ...path);
const database = (pattern: RegExp): string[] =>
  readdirSync(journal("db"))
    .filter((name) => pattern.test(name))
    .map((name) => journal("db", name));
const each = (pattern: RegExp, act: (path: string) => void): void => {
  const found = database(pattern);
  expect(found).not.toEqual([]);
  for (const path of found) act(path);
};

type Row = readonly [what: string, harm: () => void, outcomes: readonly string[]];

const ROWS: readonly Row[] = [
  ["a VERSION file that is garbage", () => writeFileSync(journal("VERSION"), GARBAGE), ["RT0009"]],
  ["an empty VERSION file", () => writeFileSync(journal("VERSION"), ""), ["RT0009"]],
  ["a VERSION file that nests too deeply", () => writeFileSync(journal("VERSION"), "[".repeat(100_000)), ["RT0009"]],
  ["a pointer that is garbage", () => writeFileSync(journal("db/CURRENT"), GARBAGE), ["RT0009"]],
  ["a pointer to elsewhere", () => writeFileSync(journal("db/CURRENT"), "../../../etc/passwd\n"), ["RT0009"]],
  ["no manifest", () => each(/^MANIFEST/, (path) => rmSync(path)), ["RT0009"]],
  ["a manifest that is garbage", () => each(/^MANIFEST/, (path) => writeFileSync(path, GARBAGE)), ["RT0009"]],
  ["a torn end of the log", () => each(/\.log$/, (path) => appendFileSync(path, GARBAGE.subarray(0, 5))), ["starts"]],
  ["a log that is cut", () => each(/\.log$/, (path) => truncateSync(path, statSync(path).size >> 1)), ["starts"]],
  ["a log that is garbage", () => each(/\.log$/, (path) => writeFileSync(path, GARBAGE)), ["starts", "RT0009"]],
  ["strange files", () => writeFileSync(journal("db/000999.sst"), GARBAGE), ["starts"]],
  [
    "a file where the store should be",
    () => {
      rmSync(journal(), { recursive: true });
      writeFileSync(journal(), GARBAGE);
    },
    ["RT0901"],
  ],
  [
    "a file where everything should be",
    () => {
      rmSync(join(dir, "data"), { recursive: true });
      writeFileSync(join(dir, "data"), GARBAGE);
    },
    ["RT0901"],
  ],
  [
    "a file where the database should be",
    () => {
      rmSync(journal("db"), { recursive: true });
      writeFileSync(journal("db"), GARBAGE);
    },
    ["RT0901"],
  ],
  [
    "a directory where a file should be",
    () => {
      rmSync(journal("db/CURRENT"));
      mkdirSync(journal("db/CURRENT"));
    },
    ["RT0009"],
  ],
];

test.each(ROWS)("%s", async (_what, harm, outcomes) => {
  expect(await start()).toBe("starts");
  harm();
  const outcome = await start();
  expect(outcomes).toContain(outcome);
  // The outcome repeats, so the start before left no lock on the database: a lock would refuse this start with another code.
  expect(await start()).toBe(outcome);
});

test.skipIf(process.platform === "win32")(
  "the log warns of a directory that other users may read; a new directory is readable by its owner alone",
  async () => {
    const told = async (): Promise<unknown[]> => {
      const log = new RecordingLog();
      expect(await start(log)).toBe("starts");
      return log.lines.filter(({ level }) => level === "warn").map(({ fields }) => fields["directory"]);
    };
    expect(await told()).toEqual([]);
    expect(["data", "data/meta", "data/journal"].map((name) => statSync(join(dir, name)).mode & 0o777)).toEqual([
      0o700, 0o700, 0o700,
    ]);
    chmodSync(journal(), 0o755);
    expect(await told()).toEqual([journal()]);
    expect(statSync(journal()).mode & 0o777).toBe(0o755);
    chmodSync(journal(), 0o710);
    expect(await told()).toEqual([journal()]);
    chmodSync(journal(), 0o700);
    // The token of the admin API is there.
    chmodSync(join(dir, "data"), 0o777);
    expect(await told()).toEqual([join(dir, "data")]);
  },
);
