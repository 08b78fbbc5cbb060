/** Settings: forms of values, precedence of sources, and messages for unreadable values. */
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProgram } from "../../functions/cli/program.ts";
import { nearestWord } from "../../shared/config/nearest-word.ts";
import { loadSettings, readSettings } from "../../shared/config/settings.ts";
import type { SettingsSources } from "../../shared/config/setting-sources.ts";
import { variableOf } from "../../shared/config/setting-names.ts";
import { SETTING_PATHS, SETTINGS } from "../../shared/config/settings-table.ts";
import { optionalDuration, type Setting, sizeBytes } from "../../shared/config/setting-kinds.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";

function read(text: string, more: Partial<SettingsSources> = {}) {
  return readSettings({ file: { path: "stepwell.toml", text }, environment: {}, flags: {}, ...more });
}

describe("a duration", () => {
  const durationMs = (text: string) => optionalDuration("A duration.").read(text)?.value;

  it.each([
    ["500ms", 500],
    ["1m 30s", 90_000],
    ["1m30s", 90_000],
    ["2 days", 172_800_000],
    ["1.5h", 5_400_000],
    ["0s", 0],
    ["PT1M30S", 90_000],
    ["P1DT2H", 93_600_000],
    ["PT0.5S", 500],
    ["2 hrs 3 mins", 7_380_000],
    ["250 milliseconds", 250],
    ["30S 1.5M", 120_000],
    [" pt1m ", 60_000],
  ])("%s is %d ms", (text, ms) => expect(durationMs(text)).toBe(ms));

  it.each(["", "10", "-5s", "5 fortnights", "P", "PT", "P1M", "1y", "s", "constructor", "1constructor"])(
    "%j is not a duration",
    (text) => expect(durationMs(text)).toBeUndefined(),
  );
});

describe("a size", () => {
  it.each([
    ["32MiB", 33_554_432],
    ["1.5 GB", 1_500_000_000],
    ["4096", 4096],
    ["10 kb", 10_000],
  ])("%s is %d bytes", (text, bytes) => expect(sizeBytes(text)).toBe(bytes));

  it.each(["", "MiB", "-1", "3 bananas", "9007199254740993 gib", "1 constructor"])("%j is not a size", (text) =>
    expect(sizeBytes(text)).toBeUndefined(),
  );
});

describe("the table of settings", () => {
  it.each(SETTING_PATHS.map((path) => [path, SETTINGS[path] as Setting<unknown>] as const))(
    "%s reads its own default",
    (_path, setting) => {
      if (setting.fallbackText === "") expect(setting.fallback).toBeUndefined();
      else expect(setting.read(setting.fallbackText)).toEqual({ value: setting.fallback });
      expect(setting.read({})).toBeUndefined();
      expect(setting.doc).toMatch(/^[A-Z].*\.$/);
    },
  );

  it("gives every setting its own variable", () => {
    expect(new Set(SETTING_PATHS.map(variableOf)).size).toBe(SETTING_PATHS.length);
    expect(variableOf("worker.invoker.abort-timeout")).toBe("STEPWELL_WORKER__INVOKER__ABORT_TIMEOUT");
  });
});

describe("settings", () => {
  it("are the defaults without a source", () => {
    const { settings, warnings } = readSettings({ environment: {}, flags: {} });
    expect(settings["ingress.port"]).toBe(8080);
    expect(settings["worker.invoker.message-size-limit"]).toBe(33_554_432);
    expect(settings["default-retry-policy.max-attempts"]).toBe(70);
    expect(settings["max-journal-retention"]).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it("come from the file, with hyphens or underscores in their names", () => {
    const { settings } = read(
      'default_journal_retention = "2h"\n[worker.invoker]\nabort_timeout = "1s"\ninactivity-timeout = "PT2S"\n',
    );
    expect(settings["default-journal-retention"]).toBe(7_200_000);
    expect(settings["worker.invoker.abort-timeout"]).toBe(1000);
    expect(settings["worker.invoker.inactivity-timeout"]).toBe(2000);
  });

  it("from a flag override the environment, and settings from the environment override the file", () => {
    const environment = { STEPWELL_INGRESS__PORT: "2", STEPWELL_ADMIN__PORT: "3", HOME: "/x" };
    const { settings, warnings } = read("[ingress]\nport = 1\n[admin]\nport = 1\nbind = '::1'\n", {
      environment,
      flags: { "ingress.port": "4" },
    });
    expect([settings["ingress.port"], settings["admin.port"], settings["admin.bind"]]).toEqual([4, 3, "::1"]);
    expect(warnings).toEqual([]);
  });

  it("ignore the variables of other commands, without a warning", () => {
    const program = createProgram(
      async () => 0,
      () => {},
    );
    const all = [program, ...program.commands.flatMap((one) => [one, ...one.commands])];
    const variables = all.flatMap(({ options }) => options.flatMap(({ envVar }) => envVar ?? []));
    expect(variables).toContain("STEPWELL_ADMIN_URL");
    const environment = Object.fromEntries(variables.map((name) => [name, "http://localhost:1/"]));
    expect(read("", { environment }).warnings).toEqual([]);
    expect(read("", { environment: { STEPWELL_ADMIN_URI: "x" } }).warnings).toHaveLength(1);
  });

  it("accept unlimited attempts, and choices with capital letters", () => {
    const { settings } = read('[default-retry-policy]\nmax-attempts = "unlimited"\non-max-attempts = "Kill"\n');
    expect(settings["default-retry-policy.max-attempts"]).toBeUndefined();
    expect(settings["default-retry-policy.on-max-attempts"]).toBe("kill");
  });

  it.each([
    ["a text that is no TOML", "\nport = = 3", {}, /stepwell\.toml, line 2, column/],
    [
      "a number without a unit",
      "[worker.invoker]\n\nabort_timeout = 5",
      {},
      /stepwell\.toml, line 3: worker\.invoker\.abort-timeout: 5 is not a duration/,
    ],
    ["a port out of range", "ingress.port = 99999", {}, /line 1: ingress\.port: 99999 is not a port/],
    [
      "a variable",
      "",
      { environment: { STEPWELL_LOG__LEVEL: "loud" } },
      /variable STEPWELL_LOG__LEVEL: "loud" is not one of info/,
    ],
    ["a flag", "", { flags: { "admin.port": "x" } }, /flag --admin-port: "x"/],
    ["a table in place of a value", "[ingress.port]\nx = [1]", {}, undefined],
  ] as const)("report %s with its place", (_name, text, more, reason) => {
    if (reason === undefined) {
      expect(read(text, more).warnings).toEqual([expect.stringContaining("ingress.port.x")]);
      return;
    }
    expect(() => read(text, more)).toThrow(
      expect.objectContaining({ code: "RT0002", message: expect.stringMatching(reason) }),
    );
  });

  it("may have a second name, and within one source the main name wins whichever comes first", () => {
    const { settings, warnings } = read('journal_retention = "2h"\n[worker.storage_rocksdb]\npath = "/old"\n', {
      environment: { STEPWELL_JOURNAL_RETENTION: "3h" },
    });
    expect([settings["default-journal-retention"], settings["worker.storage.path"]]).toEqual([10_800_000, "/old"]);
    expect(warnings).toEqual([]);
    for (const text of [
      'default_journal_retention = "1h"\njournal_retention = "2h"',
      'journal_retention = "2h"\ndefault_journal_retention = "1h"',
    ]) {
      expect(read(text).settings["default-journal-retention"]).toBe(3_600_000);
    }
    const refused = { environment: { STEPWELL_WORKER__STORAGE_ROCKSDB__PATH: "" } };
    expect(() => read("", refused)).toThrow(/RT0002.*STEPWELL_WORKER__STORAGE_ROCKSDB__PATH/);
  });

  it("that are intervals cannot be zero", () => {
    expect(() => read("", { environment: { STEPWELL_WORKER__CLEANUP_INTERVAL: "0s" } })).toThrow(/RT0002.*from 10ms/);
  });

  it("report unknown keys, with the nearest known one", () => {
    const { warnings } = read("[ingres]\nport = 1\n", { environment: { STEPWELL_ADMIN__PROT: "1" } });
    expect(warnings[0]).toMatch(/stepwell\.toml, line 2: ingres\.port; did you mean ingress\.port\?/);
    expect(warnings[1]).toMatch(/STEPWELL_ADMIN__PROT; did you mean STEPWELL_ADMIN__PORT\?/);
    expect(nearestWord("zzzzzz", ["ingress.port"])).toBeUndefined();
  });

  it.each([
    [
      '[worker.invoker]\nrequest-identity-private-key-pem = "k.pem"\n',
      {},
      /line 2: worker\.invoker\.request-identity-private-key-pem/,
    ],
    ["[ingress]\ntls = true\n", {}, /ingress\.tls/],
    ["", { environment: { STEPWELL_ADMIN__AUTH_TOKEN: "abc" } }, /STEPWELL_ADMIN__AUTH_TOKEN/],
  ])("an unknown key about security makes the start fail: %j %j", (text, more, words) => {
    expect(() => read(text, more)).toThrow(words);
    expect(() => read(text, more)).toThrow(/concerns security, so the server does not start without it/);
  });

  it("the reference's current name for the signing key is accepted", async () => {
    const path = join(await temporaryDirectory(), "key.pem");
    const { privateKey } = generateKeyPairSync("ed25519");
    writeFileSync(path, privateKey.export({ format: "pem", type: "pkcs8" }));
    const text = `[worker.invoker]\nrequest-identity-private-key-pem-file = '${path}'\n`;
    const { settings, warnings } = read(text);
    expect(settings["request-identity-private-key-pem-file"]).toBeDefined();
    expect(warnings).toEqual([]);
  });

  it("are loaded from a named file, or refused if the file does not exist", async () => {
    const dir = await temporaryDirectory();
    onTestFinished(() => removeDirectory(dir));
    const file = join(dir, "stepwell.toml");
    writeFileSync(file, "[ingress]\nport = 7\n");
    expect(loadSettings(file, {}).settings["ingress.port"]).toBe(7);
    expect(() => loadSettings(`${file}.gone`, {})).toThrow(/RT0002.*stepwell\.toml\.gone/);
  });
});
