/** Runs the services of this project with a control plane of its own: `stepwell dev` on free ports, with its data in a temporary folder. */
import "../src/older-node.ts";
import { exec, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { services } from "../src/services.ts";

/** `npm test` finds a `stepwell` that is installed globally, in this folder, or in one above it. */
const COMMAND = process.env["STEPWELL"] ?? "stepwell";

export interface Stepwell {
  /** Calls a handler, such as `greeter/greet`. @returns the status and the body, read as JSON */
  call(path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Runs a command on this control plane, such as `rules list`. @returns what it prints. @throws Error if the command fails */
  run(command: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startStepwell(): Promise<Stepwell> {
  const handlers = createServer(createEndpointHandler({ services })).listen(0, "127.0.0.1");
  await once(handlers, "listening");
  const { port } = handlers.address() as AddressInfo;

  const folder = await mkdtemp(join(tmpdir(), "stepwell-test-"));
  const options = `dev --json --ingress-port 0 --admin-port 0 --register ${port}`;
  const control = spawn(`exec ${COMMAND} ${options}`, {
    cwd: folder,
    shell: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(control, "exit");
  const stop = async (): Promise<void> => {
    control.kill();
    await ended;
    handlers.close();
    await rm(folder, { recursive: true });
  };

  // The log is JSON, a line for each event: the first line has the addresses, and later the services are registered.
  let ingress = "";
  let admin = "";
  const log: string[] = [];
  for await (const line of createInterface({ input: control.stderr })) {
    log.push(line);
    const event = line.startsWith("{")
      ? (JSON.parse(line) as { event: string; ingress: string; admin: string })
      : undefined;
    if (event?.event === "process.started") ({ ingress, admin } = event);
    if (event?.event !== "deployment.registered") continue;
    control.stderr.resume();
    const env = { ...process.env, STEPWELL_ADMIN_URL: admin };
    const run = async (command: string): Promise<string> => {
      const { stdout } = await promisify(exec)(`${COMMAND} ${command} --data-dir ${join(folder, ".stepwell")}`, {
        env,
      });
      return stdout;
    };
    return { call: (path, body) => call(`${ingress}${path}`, body), run, stop };
  }
  await stop();
  throw new Error(
    `"${COMMAND}" did not start. Install stepwell, or name it: STEPWELL="node …/dist/stepwell.js" npm test\n${log.join("\n")}`,
  );
}

async function call(url: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const answer = await fetch(url, { method: "POST", ...sent });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}
