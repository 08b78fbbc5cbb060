/** The stepwell command as it is shipped, run as a separate process, with pipes or at a terminal. */
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { inject } from "vitest";
import { tokenAt } from "../local/admin-access.ts";
import { bundleCommand, type BundledCommand } from "./bundled-command.ts";

/** Runs a command at a pseudo-terminal and passes input and output on. */
const AT_TERMINAL = "import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
const COLUMNS = 120;

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface Asked {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The keys to type once the output contains the text `after`; a command with `typed` runs at a terminal. */
  readonly typed?: { readonly after: string; readonly keys: string };
  /** The standard input of a command without a terminal; by default it has none. */
  readonly stdin?: string;
  /** Runs the command at a terminal, where stdout and stderr are one. */
  readonly terminal?: true;
}

export interface BuiltCommand extends BundledCommand {
  run(args: readonly string[], asked?: Asked): Promise<Ran>;
}

/** Takes the command that the run of tests has bundled, or bundles it for this file alone. */
export async function buildCommand(): Promise<BuiltCommand> {
  const shared = inject("commandPath");
  const { path, remove } = shared === undefined ? await bundleCommand() : { path: shared, remove: async () => {} };
  return { path, run: (args, asked = {}) => run(path, args, asked), remove };
}

/** The token for a local process of this test, as a user sets it away from the data directory. */
function accessFor(args: readonly string[], { env = {} }: Asked): Readonly<Record<string, string>> {
  const at = args.indexOf("--admin-url");
  const token = tokenAt((at < 0 ? env["STEPWELL_ADMIN_URL"] : args[at + 1]) ?? "");
  return token === undefined ? {} : { STEPWELL_AUTH_TOKEN: token };
}

function run(path: string, args: readonly string[], asked: Asked): Promise<Ran> {
  const atTerminal = asked.terminal === true || asked.typed !== undefined;
  const command = [process.execPath, path, ...args];
  const sized = ["sh", "-c", `stty cols ${COLUMNS} rows 40; exec "$@"`, "sh", ...command];
  const [file, ...rest] = atTerminal ? ["python3", "-c", AT_TERMINAL, ...sized] : command;
  const child = spawn(file!, rest, {
    cwd: asked.cwd ?? tmpdir(),
    env: { PATH: process.env["PATH"], HOME: tmpdir(), TERM: "xterm-256color", ...accessFor(args, asked), ...asked.env },
    stdio: [atTerminal || asked.stdin !== undefined ? "pipe" : "ignore", "pipe", "pipe"],
  });
  if (asked.stdin !== undefined) child.stdin!.end(asked.stdin);
  const out = { stdout: "", stderr: "" };
  let typed = false;
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    out.stdout += text.replaceAll("\r\n", "\n");
    if (asked.typed === undefined || typed || !out.stdout.includes(asked.typed.after)) return;
    typed = true;
    child.stdin!.write(asked.typed.keys);
  });
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (out.stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...out, code: code ?? -1 }));
  });
}
