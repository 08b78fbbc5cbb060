/** Installs the tools of the suite, each once and in its pinned version, and runs the suite; without Python it skips cfn-lint. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");
const CFN_LINT = "cfn-lint==1.58.0";
const VENV = join(HERE, ".cache", CFN_LINT);
const READY_FILE = join(VENV, "is-installed");

/** @returns whether the command ended well */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  return status === 0;
}

/** @returns why cfn-lint is missing; undefined if it is present */
function installCfnLint() {
  if (existsSync(READY_FILE)) return undefined;
  if (spawnSync("python3", ["-m", "venv", "--help"]).status !== 0) return "python3 with venv is missing";
  rmSync(VENV, { recursive: true, force: true });
  mkdirSync(join(HERE, ".cache"), { recursive: true });
  const pip = join(VENV, "bin/pip");
  const isMade = run("python3", ["-m", "venv", VENV], HERE);
  if (!isMade || !run(pip, ["install", "--quiet", "--disable-pip-version-check", CFN_LINT], HERE)) {
    throw new Error(`${CFN_LINT} was not installed`);
  }
  writeFileSync(READY_FILE, "");
  return undefined;
}

if (!existsSync(join(HERE, "node_modules/secretlint")) && !run("npm", ["ci"], HERE)) {
  throw new Error("npm ci failed in test/supply-chain");
}
const missing = installCfnLint();
if (missing !== undefined) console.log(`cfn-lint: skipped, ${missing}`);

const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
const args = [vitest, "run", "--config", join(HERE, "vitest.config.ts"), ...process.argv.slice(2)];
const cfnLint = missing === undefined ? { STEPWELL_TEST_CFN_LINT: join(VENV, "bin/cfn-lint") } : {};
const tests = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...cfnLint } });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => tests.kill(signal));
const [code] = await once(tests, "exit");
process.exit(code ?? 1);
