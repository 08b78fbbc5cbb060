/** Runs a program in a process with another time zone, because a thread cannot have its own time zone. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

/** One zone west and one east of UTC. For a large part of the day, the date in each zone differs from the date in UTC. */
export const TIME_ZONES = ["America/Los_Angeles", "Pacific/Kiritimati"] as const;

const ROOT = join(import.meta.dirname, "..");

/**
 * @param program the source text of a module. Its relative imports start at the root of the project, and its default export
 *   is an async function
 * @returns the result of the function, after a round trip through JSON
 */
export async function inTimeZone(zone: string, program: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "cjs",
    write: false,
    logLevel: "error",
  });
  const tell = "module.exports.default().then((answer) => console.log(JSON.stringify(answer)));";
  const child = promisify(execFile)(process.execPath, ["-"], { env: { ...process.env, TZ: zone } });
  child.child.stdin!.end(`${outputFiles[0]!.text}\n${tell}`);
  return JSON.parse((await child).stdout) as unknown;
}
