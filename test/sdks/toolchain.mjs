/** Finds out whether the tools of a language are on this machine, in a sufficient version. */
import { spawnSync } from "node:child_process";

const ASKED_WITHIN_MS = 180_000;

function isOlder(version, least) {
  for (const [index, wanted] of least.entries()) {
    if (version[index] !== wanted) return version[index] < wanted;
  }
  return false;
}

/** The first dotted number in the tool's output. */
function versionIn(text) {
  return /\d+(\.\d+)+/.exec(text)?.[0];
}

/**
 * @param needs `{ command, args, least }` each; `least` is a version as numbers
 * @returns every tool with its version, and the reason why the first missing or old one is insufficient
 */
export function toolsOf(needs) {
  const tools = [];
  for (const { command, args, least } of needs) {
    const { error, status, stdout } = spawnSync(command, args, { encoding: "utf8", timeout: ASKED_WITHIN_MS });
    if (error !== undefined) return { tools, missing: `${command} is not on this machine` };
    const version = versionIn(stdout);
    if (status !== 0 || version === undefined)
      return { tools, missing: `${command} ${args.join(" ")} says no version` };
    if (isOlder(version.split(".").map(Number), least))
      return { tools, missing: `${command} ${version} is older than ${least.join(".")}` };
    tools.push(`${command} ${version}`);
  }
  return { tools };
}
