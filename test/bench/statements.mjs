/**
 * Bundles the benchmark of SQL statements and runs it: `node test/bench/statements.mjs [count of invocations] [folder]`.
 * A folder that is given keeps the invocations for later runs.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { statementProgram } from "../../infra/build/built-in-texts.mjs";

const HERE = import.meta.dirname;
const dir = await mkdtemp(join(tmpdir(), "stepwell-bench-"));
try {
  const outfile = join(dir, "statements-load.cjs");
  await build({
    entryPoints: [join(HERE, "statements-load.ts")],
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["classic-level"],
    define: await statementProgram(),
    outfile,
  });
  const env = { ...process.env, NODE_PATH: join(HERE, "../../node_modules") };
  const [count = "1000000", folder = join(dir, "store")] = process.argv.slice(2);
  const [code] = await once(
    spawn(process.execPath, [...process.execArgv, outfile, count, folder], { env, stdio: "inherit" }),
    "exit",
  );
  process.exitCode = code ?? 1;
} finally {
  await rm(dir, { recursive: true, force: true });
}
