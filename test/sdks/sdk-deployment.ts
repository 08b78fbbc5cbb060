/** Starts the deployment of an SDK on a port that the system chooses, and ends it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** The protocol modes that a deployment announces in its discovery, each with its version of HTTP: HTTP/2 or HTTP/1.1. */
export const MODES = [
  { mode: "bidi", overHttp11: false },
  { mode: "request-response", overHttp11: true },
] as const;
export type Mode = (typeof MODES)[number];

/** Prepared by `run.mjs`: a program to start, or the reason for its absence. */
export type PreparedSdk = { readonly name: string } & (
  | { readonly start: { readonly command: string; readonly args: readonly string[]; readonly cwd: string } }
  | { readonly skipped: string }
  | { readonly failed: string }
);

export interface SdkDeployment {
  readonly uri: string;
  /** The last lines that the program wrote, for the analysis of a failed test. */
  lastLines(): string;
  stop(): Promise<void>;
}

const LINES_KEPT = 20;
const LISTENING = /^listening on (\d+)$/;

export function preparedSdks(): readonly PreparedSdk[] {
  const told = process.env["STEPWELL_TEST_SDKS"];
  if (told === undefined) throw new Error("The deployments are built first: npm run test:sdks");
  return JSON.parse(told) as PreparedSdk[];
}

/** @throws Error with the output of the program if the program ends before it listens */
export async function startSdkDeployment(
  { command, args, cwd }: Extract<PreparedSdk, { start: unknown }>["start"],
  mode: Mode["mode"],
): Promise<SdkDeployment> {
  const program = spawn(command, args, {
    cwd,
    env: { ...process.env, MODE: mode },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(program, "exit").catch((error: unknown) => [String(error)]);
  const lines: string[] = [];
  const port = new Promise<number>((resolve) => {
    for (const stream of [program.stdout, program.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        if (lines.length > LINES_KEPT) lines.shift();
        const listening = LISTENING.exec(line);
        if (listening !== null) resolve(Number(listening[1]));
      });
    }
  });
  const lastLines = (): string => lines.join("\n");
  const ready = await Promise.race([port, ended]);
  if (typeof ready !== "number") throw new Error(`${command} ended with ${ready.join(" ")}:\n${lastLines()}`);
  return {
    uri: `http://127.0.0.1:${ready}`,
    lastLines,
    async stop() {
      // A graceful end takes long with some SDKs, which wait for open connections. The deployment has no state to save.
      program.kill("SIGKILL");
      await ended;
    },
  };
}
