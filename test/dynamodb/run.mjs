/** Starts a DynamoDB engine on a free port of the loopback, runs the table's tests on it, and stops it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ENGINE_NAME, startEngine } from "../harness/dynamodb/engine-process.mjs";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");

const { endpoint, stop } = await startEngine(HERE);
console.log(`${ENGINE_NAME} listens on ${endpoint}; running test/dynamodb`);

const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
const args = [vitest, "run", "--config", join(HERE, "vitest.config.ts"), ...process.argv.slice(2)];
const tests = spawn(process.execPath, args, {
  cwd: ROOT,
  stdio: "inherit",
  env: { ...process.env, STEPWELL_TEST_DYNAMODB_ENDPOINT: endpoint },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => tests.kill(signal));
const [code] = await once(tests, "exit");
stop();
console.log(`test/dynamodb on ${endpoint} ended with code ${code ?? 1}`);
process.exit(code ?? 1);
