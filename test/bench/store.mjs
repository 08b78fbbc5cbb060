/** Bundles and runs `store-load.ts`, which measures a store: `node test/bench/store.mjs [folder on the disk to measure]`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const HERE = import.meta.dirname;
const dir = await mkdtemp(join(tmpdir(), "stepwell-bench-"));
try {
  const outfile = join(dir, "store-load.cjs");
  const entryPoints = [join(HERE, "store-load.ts")];
  await build({ entryPoints, bundle: true, platform: "node", format: "cjs", external: ["classic-level"], outfile });
  const env = { ...process.env, NODE_PATH: join(HERE, "../../node_modules") };
  const [code] = await once(
    spawn(process.execPath, [outfile, ...process.argv.slice(2)], { env, stdio: "inherit" }),
    "exit",
  );
  process.exitCode = code ?? 1;
} finally {
  await rm(dir, { recursive: true, force: true });
}
