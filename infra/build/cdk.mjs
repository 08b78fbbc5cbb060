/** Runs the installed `cdk` command as a child process, for programs that deploy. */
import { spawn } from "node:child_process";
import { join } from "node:path";

const CDK = join(import.meta.dirname, "../../node_modules/aws-cdk/bin/cdk");
const TOLD_CHARACTERS = 3000;

/**
 * @param env variables for the command, beside those of this process
 * @param onLine called for each line of output
 * @param signal ends the command; operations that AWS has begun continue
 * @returns the standard output
 * @throws Error whose message has the end of the output, and whose `told` has all of it
 */
export function cdk(args, { cwd, env = {}, onLine, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CDK, ...args], {
      cwd,
      env: { ...process.env, ...env, CI: "true" },
      stdio: ["ignore", "pipe", "pipe"],
      // Ctrl-C in a terminal must reach only the parent process, which then decides about the child.
      detached: signal !== undefined,
      signal,
    });
    let [out, told, rest] = ["", "", ""];
    const hear = (text) => {
      told += text;
      if (onLine === undefined) return;
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) onLine(line);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", hear);
    child.stdout.on("data", (text) => (out += text));
    let ended;
    child.once("error", (error) => {
      // An aborted child has not exited yet, and may still send requests to AWS.
      if (error.name === "AbortError") ended = error;
      else reject(error);
    });
    child.once("close", (code) => {
      if (ended !== undefined) return reject(ended);
      if (code === 0) return resolve(out);
      const words = `cdk ${args[0]} failed with exit code ${code}:\n${told.slice(-TOLD_CHARACTERS)}`;
      reject(Object.assign(new Error(words), { told }));
    });
  });
}
