/** `stepwell dev --dump-config` prints the effective configuration, starts nothing, and ends with success. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { EXIT_OK, runDev } from "../../../functions/local/dev.ts";
import { readSettings } from "../../../shared/config/settings.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** The output of the process, and the code with which it would exit. */
async function dumped(configFile: string | undefined, flags: Record<string, string>) {
  const written = { out: "", err: "" };
  vi.spyOn(process.stdout, "write").mockImplementation((text) => Boolean((written.out += String(text))));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => Boolean((written.err += String(text))));
  const register = { register: [], find: false, useHttp11: false, watch: false };
  const code = await runDev({ ...(configFile !== undefined && { configFile }), flags, ...register, dumpConfig: true });
  return { code, ...written };
}

test("prints what file, variables and flags give together, and creates no data directory", async () => {
  const dir = await temporaryDirectory();
  onTestFinished(() => removeDirectory(dir));
  const file = join(dir, "restate.toml");
  const data = join(dir, "data");
  writeFileSync(file, `base-dir = '${data}'\nroles = ["admin"]\n[worker.invoker]\nabort-timeout = "3s"\n`);
  vi.stubEnv("RESTATE_INGRESS__BIND_PORT", "81");
  const { code, out, err } = await dumped(file, { "log.level": "warn" });
  expect(code).toBe(EXIT_OK);
  const { settings, warnings } = readSettings({ file: { path: "out", text: out }, environment: {}, flags: {} });
  expect(warnings).toEqual([]);
  expect(settings).toMatchObject({
    "data-dir": data,
    "worker.invoker.abort-timeout": 3_000,
    "ingress.port": 81,
    "log.level": "warn",
  });
  expect(err).toMatch(/roles: one process has all roles/);
  expect(existsSync(data)).toBe(false);
});

test("reads the file of RESTATE_CONFIG where no flag names one", async () => {
  const dir = await temporaryDirectory();
  onTestFinished(() => removeDirectory(dir));
  const file = join(dir, "restate.toml");
  writeFileSync(file, 'cluster-name = "theirs"\n');
  vi.stubEnv("RESTATE_CONFIG", file);
  expect((await dumped(undefined, {})).out).toContain('cluster-name = "theirs"');
});

test("an empty RESTATE_CONFIG names no file; if the named file does not exist, the start is refused with its path", async () => {
  vi.stubEnv("RESTATE_CONFIG", "");
  expect(await dumped(undefined, {})).toMatchObject({ code: EXIT_OK, err: "" });
  vi.stubEnv("RESTATE_CONFIG", "/nowhere/restate.toml");
  expect((await dumped(undefined, {})).code).toMatchObject({
    code: "RT0002",
    message: expect.stringContaining("/nowhere/restate.toml"),
  });
});

test("the file of STEPWELL_DEFAULTS_FILE is overridden by the configuration file and by variables, without a warning", async () => {
  const dir = await temporaryDirectory();
  onTestFinished(() => removeDirectory(dir));
  const [defaults, file] = [join(dir, "defaults.toml"), join(dir, "stepwell.toml")];
  writeFileSync(defaults, 'data-dir = "/data"\ncluster-name = "default"\nlog.format = "json"\n');
  writeFileSync(file, 'cluster-name = "theirs"\n');
  vi.stubEnv("STEPWELL_DEFAULTS_FILE", defaults);
  vi.stubEnv("RESTATE_LOG_FORMAT", "pretty");
  const { out, err } = await dumped(file, {});
  const { settings } = readSettings({ file: { path: "out", text: out }, environment: {}, flags: {} });
  expect(settings).toMatchObject({ "data-dir": "/data", "cluster-name": "theirs", "log.format": "pretty" });
  expect(err).toBe("");
});
