/**
 * `npm run test:load-aws -- [--minutes N] [--rate N] [--seed N] [--json] [--keep]`: mixed load on an emulated AWS while functions
 * are killed and stopped at random, and a verdict over everything that was accepted.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { clientEnvironment } from "../../localstack/deploy.mjs";
import { startEmulator } from "../../localstack/emulator.mjs";

const ROOT = join(import.meta.dirname, "../..");

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    /** Submissions a second. */
    rate: { type: "string", default: "2" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    /** The figures once more, as one line. */
    json: { type: "boolean", default: false },
    /** The emulator stays after a failure, until Ctrl-C. */
    keep: { type: "boolean", default: false },
  },
});

for (const name of ["minutes", "rate"]) {
  if (Number(values[name]) > 0 && Number.isFinite(Number(values[name]))) continue;
  console.error(`--${name} takes a number above 0, not '${values[name]}'.`);
  process.exit(2);
}
if (!/^\d+$/.test(values.seed)) {
  console.error(`--seed takes a whole number, not '${values.seed}'.`);
  process.exit(2);
}

async function load(emulator, folder) {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--config", "test/load-aws/vitest.config.ts"], {
    cwd: ROOT,
    stdio: "inherit",
    env: {
      ...process.env,
      ...clientEnvironment(emulator.endpoint),
      STEPWELL_LOAD_ENDPOINT: emulator.endpoint,
      STEPWELL_LOAD_EMULATOR_PID: String(emulator.pid),
      STEPWELL_LOAD_FOLDER: folder,
      STEPWELL_LOAD_MINUTES: values.minutes,
      STEPWELL_LOAD_RATE: values.rate,
      STEPWELL_LOAD_SEED: values.seed,
      STEPWELL_LOAD_JSON: values.json ? "1" : "",
    },
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  return (await once(child, "exit"))[0] ?? 1;
}

if (process.env.STEPWELL_SKIP_E2E_AWS === "1") {
  console.log("skipped, because STEPWELL_SKIP_E2E_AWS is 1");
  console.log("0 passed, 0 failed, 1 skipped");
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), "stepwell-load-"));
process.env.LOAD_LEDGER = join(folder, "ledger.jsonl");
writeFileSync(process.env.LOAD_LEDGER, "");
// Requests that wait for functions which call functions take a thread each, and 64 of them would wait for each other.
process.env.MINISTACK_WORKER_THREADS ??= "256";
const emulator = await startEmulator(0);
try {
  process.exitCode = await load(emulator, folder);
  if (process.exitCode === 0) rmSync(folder, { recursive: true });
  else {
    copyFileSync(emulator.logFile, join(folder, "emulator.log"));
    console.error(`Ledger, blows, book and the emulator's log stay in ${folder}.`);
  }
  if (process.exitCode !== 0 && values.keep) {
    console.error(`The emulator stays on ${emulator.endpoint}, its log in ${emulator.logFile}, until Ctrl-C.`);
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  }
} finally {
  await emulator.stop();
}
