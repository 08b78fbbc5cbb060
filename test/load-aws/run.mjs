/**
 * `npm run test:load-aws -- [--minutes N] [--rate N] [--throttle N] [--lost N] [--large-every N] [--seed N] [--json] [--keep]`:
 * mixed load on an emulated AWS while functions are killed and stopped at random, requests are throttled and messages are lost,
 * and a verdict on everything that was accepted.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { clientEnvironment } from "../../localstack/deploy.mjs";
import { startEmulator } from "../../localstack/emulator.mjs";
import { startThrottle } from "./throttle/proxy.mjs";

const ROOT = join(import.meta.dirname, "../..");

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    /** Submissions a second. */
    rate: { type: "string", default: "2" },
    /** Bursts of throttling per minute for each of these: table reads, table writes, each index, schedules; 0 for none. */
    throttle: { type: "string", default: "1" },
    /** The share of all messages that are lost. */
    lost: { type: "string", default: "0.02" },
    /** Seconds from one large invocation to the next; 0 for none. Every fourth large invocation is too large for the sweeper. */
    "large-every": { type: "string", default: "60" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    /** Prints the figures once more, as one line. */
    json: { type: "boolean", default: false },
    /** Keeps the emulator after a failure, until Ctrl-C. */
    keep: { type: "boolean", default: false },
  },
});

for (const name of ["minutes", "rate"]) {
  if (Number(values[name]) > 0 && Number.isFinite(Number(values[name]))) continue;
  console.error(`--${name} takes a number above 0, not '${values[name]}'.`);
  process.exit(2);
}
for (const [name, most] of [
  ["throttle", 60],
  ["lost", 0.5],
  ["large-every", 3_600],
]) {
  const value = Number(values[name]);
  if (values[name] !== "" && value >= 0 && value <= most) continue;
  console.error(`--${name} takes a number from 0 to ${most}, not '${values[name]}'.`);
  process.exit(2);
}
if (!/^\d+$/.test(values.seed)) {
  console.error(`--seed takes a whole number, not '${values.seed}'.`);
  process.exit(2);
}

/**
 * The memory of the sweeper. It needs 120 MB itself, and more than two MB for each MiB of an invocation that it loads, so it can
 * load some 20 MiB. A worker has the 512 MB of its function. With 512 MB for the sweeper too, only larger invocations would be
 * too large for it, and the emulator would take seconds to return them.
 */
const SWEEPER_MB = "192";

async function load(emulator, throttle, folder) {
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
      STEPWELL_LOAD_THROTTLE: values.throttle,
      STEPWELL_LOAD_THROTTLE_ENDPOINT: throttle.endpoint,
      STEPWELL_LOAD_LARGE_EVERY_S: values["large-every"],
      STEPWELL_LOAD_JSON: values.json ? "1" : "",
    },
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  return (await once(child, "exit"))[0] ?? 1;
}

/** The functions inherit the environment of the emulator; the deployment and the test talk to the emulator directly. */
async function startThrottled(endpoint) {
  const variables = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_SCHEDULER"];
  for (const variable of variables) process.env[variable] = endpoint;
  try {
    return await startEmulator(0);
  } finally {
    for (const variable of variables) delete process.env[variable];
  }
}

if (process.env.STEPWELL_SKIP_E2E_AWS === "1") {
  console.log("skipped, because STEPWELL_SKIP_E2E_AWS is 1");
  console.log("0 passed, 0 failed, 1 skipped");
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), "stepwell-load-"));
// The functions append lines to these files. The variables do not begin with `STEPWELL_`, because a function would take them for
// unknown settings.
for (const [variable, file] of [
  ["LOAD_LEDGER", "ledger.jsonl"],
  ["LOAD_MESSAGES", "messages"],
  ["LOAD_MEMORY", "memory.jsonl"],
]) {
  process.env[variable] = join(folder, file);
  writeFileSync(process.env[variable], "");
}
process.env.LOAD_LOST = values.lost;
process.env.LOAD_SWEEPER_MB = SWEEPER_MB;
// A request that waits for a function occupies a thread of the emulator; with 64 threads, functions that call functions would
// wait for each other.
process.env.MINISTACK_WORKER_THREADS ??= "256";
const throttle = await startThrottle(Number(values.seed), Number(values.throttle));
const emulator = await startThrottled(throttle.endpoint);
throttle.forwardTo(emulator.endpoint);
try {
  process.exitCode = await load(emulator, throttle, folder);
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
  throttle.stop();
}
