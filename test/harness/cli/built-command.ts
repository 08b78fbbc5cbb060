/** The stepwell command as it is shipped: bundled, and run as a process of its own, with pipes or at a terminal. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { statementProgram } from "../../../infra/statement-program.mjs";
import { vi } from "vitest";

// A process starts slowly while other suites occupy the processors.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ROOT = join(import.meta.dirname, "../../..");
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
  /** Keys to type once this text has appeared; the command then runs at a terminal. */
  readonly typed?: { readonly after: string; readonly keys: string };
  /** Runs the command at a terminal, where stdout and stderr are one. */
  readonly terminal?: true;
}

export interface BuiltCommand {
  readonly path: string;
  run(args: readonly string[], asked?: Asked): Promise<Ran>;
  remove(): Promise<void>;
}

export async function buildCommand(): Promise<BuiltCommand> {
  const folder = await mkdtemp(join(tmpdir(), "stepwell-command-"));
  for (const name of ["node_modules", "examples"]) await symlink(join(ROOT, name), join(folder, name));
  await build({
    define: await statementProgram(),
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    packages: "external",
    splitting: true,
    absWorkingDir: ROOT,
    entryPoints: [{ in: "functions/cli/stepwell.ts", out: "stepwell" }],
    outdir: join(folder, "dist"),
  });
  const path = join(folder, "dist/stepwell.js");
  return {
    path,
    run: (args, asked = {}) => run(path, args, asked),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function run(path: string, args: readonly string[], asked: Asked): Promise<Ran> {
  const atTerminal = asked.terminal === true || asked.typed !== undefined;
  const command = [process.execPath, path, ...args];
  const sized = ["sh", "-c", `stty cols ${COLUMNS} rows 40; exec "$@"`, "sh", ...command];
  const [file, ...rest] = atTerminal ? ["python3", "-c", AT_TERMINAL, ...sized] : command;
  const child = spawn(file!, rest, {
    cwd: asked.cwd ?? tmpdir(),
    env: { PATH: process.env["PATH"], HOME: tmpdir(), TERM: "xterm-256color", ...asked.env },
    stdio: [atTerminal ? "pipe" : "ignore", "pipe", "pipe"],
  });
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
