/** Builds a deployment with each SDK whose tools are on this machine, and runs the tests of `table.test.ts` against each. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { builtIn, openCache } from "./build-cache.mjs";
import { SDKS } from "./sdk-builds.mjs";
import { toolsOf } from "./toolchain.mjs";

const ROOT = join(import.meta.dirname, "../..");

/** `run.mjs go rust -t counter` builds and tests two of the SDKs, and passes the other arguments to vitest. */
const asked = process.argv.slice(2);
const named = SDKS.filter(({ name }) => asked.includes(name));
const forVitest = asked.filter((word) => !SDKS.some(({ name }) => name === word));

/** @returns what the tests need of one SDK: the command that starts its deployment, or the reason for its absence */
async function prepare(sdk, cache) {
  const { name } = sdk;
  const { tools, missing } = toolsOf(sdk.needs);
  if (missing !== undefined) return { name, skipped: missing };
  const startedMs = performance.now();
  try {
    const folder = await builtIn(cache, sdk, tools);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    console.log(`${name}: built in ${seconds} s with ${tools.join(", ")}`);
    return { name, start: { ...sdk.start(folder), cwd: folder } };
  } catch (error) {
    return { name, failed: error.message };
  }
}

const cache = openCache();
// In parallel, because each build leaves a core idle for half of its time.
const prepared = await Promise.all((named.length > 0 ? named : SDKS).map((sdk) => prepare(sdk, cache)));
for (const { name, skipped } of prepared) if (skipped !== undefined) console.log(`${name}: skipped, ${skipped}`);
for (const { name, failed } of prepared) if (failed !== undefined) console.log(`${name}: not built\n${failed}`);

const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
const args = [vitest, "run", "--config", join(import.meta.dirname, "vitest.config.ts"), ...forVitest];
const env = { ...process.env, STEPWELL_TEST_SDKS: JSON.stringify(prepared) };
const tests = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit", env });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => tests.kill(signal));
const [code] = await once(tests, "exit");
process.exit(code ?? 1);
