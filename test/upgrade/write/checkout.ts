/** Checks a commit of this repository out into a separate directory, and installs and builds it as it was then. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Checkout {
  readonly commit: string;
  /** The folder with `<name>/index.mjs` for each function. */
  readonly functionsFolder: string;
  readonly commandPath: string;
}

/**
 * Writes the files of a commit to a directory, and runs its installation and builds with their output on the terminal.
 * @throws Error if a command fails
 */
export function checkOut(root: string, revision: string, dir: string): Checkout {
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: root, maxBuffer: 1 << 30 });
  const commit = git("rev-parse", "--short", `${revision}^{commit}`).toString().trim();
  mkdirSync(dir, { recursive: true });
  const archive = join(dir, "..", `${commit}.tar`);
  writeFileSync(archive, git("archive", commit));
  const run = (command: string, ...args: string[]): void =>
    void execFileSync(command, args, { cwd: dir, stdio: "inherit" });
  run("tar", "xf", archive);
  run("npm", "ci", "--prefer-offline", "--no-audit", "--no-fund");
  run("node", "infra/bundle-all.mjs");
  run("node", "build.mjs");
  return { commit, functionsFolder: join(dir, ".cache/functions"), commandPath: join(dir, "dist/stepwell.js") };
}
