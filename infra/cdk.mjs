/** The stock `cdk` of the installed packages as a child process, for whoever deploys from a program. */
import { spawn } from "node:child_process";
import { join } from "node:path";

const CDK = join(import.meta.dirname, "../node_modules/aws-cdk/bin/cdk");
const TOLD_CHARACTERS = 3000;

/**
 * @param env of the command, beside this process's own
 * @param onLine gets each line that it writes
 * @param signal ends the command; what AWS does already goes on there
 * @returns what it wrote to standard output
 * @throws Error with the last words of the command, all of them in `told`
 */
export function cdk(args, { cwd, env = {}, onLine, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CDK, ...args], {
      cwd,
      env: { ...process.env, ...env, CI: "true" },
      stdio: ["ignore", "pipe", "pipe"],
      // Of a terminal's Ctrl-C whoever started it decides.
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
      // One that is told to end has not ended yet, and may still ask AWS for something.
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
