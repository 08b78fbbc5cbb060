/** Provides what the suite needs: the packages of two folders, and the path of a Chromium, which root installs if it is missing. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { REFERENCE_SERVER } from "../compat/ground.mjs";

const HERE = import.meta.dirname;
const COMMANDS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MISSING =
  "The suite needs Chromium. Debian and Ubuntu: sudo apt-get install chromium. Elsewhere: set CHROMIUM_PATH to the program.";

/** @throws Error that says what to install */
export function setup({ provide }) {
  if (!existsSync(join(HERE, "node_modules/playwright-core"))) run("npm", ["ci"], HERE);
  if (!existsSync(REFERENCE_SERVER)) run("npm", ["ci"], join(HERE, "../compat"));
  provide("chromiumPath", findChromium() ?? installChromium());
}

function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== "") return named;
  return COMMANDS.map(pathOf).find((path) => path !== undefined);
}

function pathOf(command) {
  const { status, stdout } = spawnSync("sh", ["-c", `command -v ${command}`], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function installChromium() {
  if (process.getuid?.() !== 0 || pathOf("apt-get") === undefined) throw new Error(MISSING);
  console.error("installing chromium with apt-get (414 MB)");
  run("apt-get", ["update", "-q"], HERE);
  run("apt-get", ["install", "-y", "-q", "--no-install-recommends", "chromium"], HERE);
  const path = findChromium();
  if (path === undefined) throw new Error(MISSING);
  return path;
}

/** The output goes to standard error, because a reader of standard output wants the report alone. */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed. ${command === "apt-get" ? MISSING : ""}`);
}
