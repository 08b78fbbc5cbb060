/** Starts an emulated AWS, runs the tests of `test/aws` on it, and stops everything. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../../localstack/emulator.mjs";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");

// The adapters do not depend on the rights of roles.
const { endpoint, name, stop } = await startEmulator(0, { auth: false });
console.log(`${name} answers on ${endpoint}; running test/aws`);

const reports = process.env.TEST_REPORTS ?? mkdtempSync(join(tmpdir(), "stepwell-reports-"));
const report = join(reports, "aws.json");
rmSync(report, { force: true });

const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
const args = [vitest, "run", "--config", join(HERE, "vitest.config.ts"), ...process.argv.slice(2)];
const tests = spawn(process.execPath, args, {
  cwd: ROOT,
  stdio: "inherit",
  env: {
    ...process.env,
    TEST_REPORTS: reports,
    STEPWELL_TEST_AWS_ENDPOINT: endpoint,
    STEPWELL_TEST_DYNAMODB_ENDPOINT: endpoint,
  },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => tests.kill(signal));
const [exitCode] = await once(tests, "exit");
await stop();

const code = exitCode ?? 1;
if (existsSync(report)) {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, "utf8"));
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests + numTodoTests} skipped`);
} else {
  console.log("0 passed, 1 failed, 0 skipped");
}
if (process.env.TEST_REPORTS === undefined) rmSync(reports, { recursive: true, force: true });
process.exit(code);
