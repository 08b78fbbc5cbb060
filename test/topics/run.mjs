/** Fetches Apache Kafka, builds kfake, and runs the suite. A missing tool is a failure, because the suite proves nothing without brokers. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { prepareBrokers } from "./brokers.mjs";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");
const NEEDS = [
  { command: "java", asks: "-version", what: "a Java runtime 17 or later" },
  { command: "mvn", asks: "--version", what: "Maven, which fetches Apache Kafka" },
  { command: "go", asks: "version", what: "Go 1.26 or later, which builds kfake" },
];

const missing = NEEDS.filter(({ command, asks }) => spawnSync(command, [asks]).status !== 0);
if (missing.length > 0) {
  for (const { command, what } of missing) console.log(`test/topics needs ${command}: ${what}`);
  process.exit(1);
}

const startedMs = performance.now();
const brokers = prepareBrokers();
console.log(`the brokers are ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
const args = [vitest, "run", "--config", join(HERE, "vitest.config.ts"), ...process.argv.slice(2)];
const env = { ...process.env, STEPWELL_TEST_KAFKA: brokers.kafkaLib, STEPWELL_TEST_KFAKE: brokers.kfake };
const tests = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit", env });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => tests.kill(signal));
const [code] = await once(tests, "exit");
process.exit(code ?? 1);
