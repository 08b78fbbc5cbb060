/**
 * Writes the fixture of a version. A developer runs it, after `npm ci` in this checkout:
 * `node test/upgrade/write.mjs <commit> <folder below fixtures>`. The script itself installs the packages of the commit in a
 * temporary checkout, and the engine of `test/dynamodb` if it is missing.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { startEngine } from "../harness/dynamodb/engine-process.mjs";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");
/** Inside `node_modules`, so that the bundle finds its packages. */
const WORKSHOP = join(ROOT, "node_modules/.cache");

const [revision, name] = process.argv.slice(2);
if (revision === undefined || name === undefined) {
  console.error("usage: node test/upgrade/write.mjs <commit> <folder below test/upgrade/fixtures>");
  process.exit(2);
}
mkdirSync(WORKSHOP, { recursive: true });
const workshop = mkdtempSync(join(WORKSHOP, "stepwell-upgrade-"));
const engine = await startEngine(join(ROOT, "test/dynamodb"));
let code = 0;
try {
  const outfile = join(workshop, "write-fixture.mjs");
  await build({
    entryPoints: [join(HERE, "write/write-fixture.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  const { write } = await import(pathToFileURL(outfile).href);
  await write(ROOT, revision, join(HERE, "fixtures", name), engine.endpoint);
} catch (error) {
  console.error(error);
  code = 1;
} finally {
  engine.stop();
  rmSync(workshop, { recursive: true });
}
process.exit(code);
