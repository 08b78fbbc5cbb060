/**
 * Provides what suites in a browser need: the path of Chromium, and the packages of the suite. If Chromium is missing and the
 * suite runs as root, `chromiumPath` installs it.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const COMMANDS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MISSING =
  "The suite needs Chromium. Debian and Ubuntu: sudo apt-get install chromium. Elsewhere: set CHROMIUM_PATH to the program.";

/**
 * Without these flags, Chromium contacts hosts of its maker at each start, and refuses to run as root, because it offers root no
 * sandbox.
 */
export const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @throws Error that says what to install */
export function chromiumPath() {
  return findChromium() ?? installChromium();
}

/** Installs the packages of a suite's folder, unless the package with the given name is already there. */
export function installPackages(folder, name) {
  if (!existsSync(join(folder, "node_modules", name))) run("npm", ["ci"], folder);
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
  run("apt-get", ["update", "-q"]);
  run("apt-get", ["install", "-y", "-q", "--no-install-recommends", "chromium"]);
  const path = findChromium();
  if (path === undefined) throw new Error(MISSING);
  return path;
}

/** The output goes to standard error, because a reader of standard output wants the report alone. */
function run(command, args, cwd = process.cwd()) {
  const { status } = spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed. ${command === "apt-get" ? MISSING : ""}`);
}
