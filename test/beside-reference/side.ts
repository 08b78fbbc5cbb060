/** A side: a server with the deployments of each kind, and its ingress, admin API and statements. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalProcess } from "../../functions/local/local-process.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { processLog } from "../../shared/wiring/process-log.ts";
import { REFERENCE, startServer } from "../compat/contestants.mjs";
import { type ServicesOf, startDeployment } from "./deployment.ts";
import { KINDS } from "./program.ts";
import { Recorder } from "./recorder.ts";
import { servicesOf } from "./services.ts";
import { fetch, knowAdmin } from "../harness/local/admin-access.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type Row = Readonly<Record<string, unknown>>;

/** The addresses of a server, without a slash at the end. */
export interface Server {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  stop(): Promise<unknown>;
}

export class Side {
  readonly name: "ours" | "theirs";
  readonly recorder: Recorder;
  readonly #server: Server;
  readonly #closings: (() => Promise<unknown>)[];

  constructor(name: "ours" | "theirs", recorder: Recorder, server: Server, closings: (() => Promise<unknown>)[]) {
    this.name = name;
    this.recorder = recorder;
    this.#server = server;
    this.#closings = closings;
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return ask("POST", this.#server.ingressUrl + path, body, headers);
  }

  get(path: string): Promise<Answer> {
    return ask("GET", this.#server.ingressUrl + path);
  }

  admin(method: string, path: string, body?: unknown): Promise<Answer> {
    return ask(method, this.#server.adminUrl + path, body);
  }

  /** @throws Error if the statement is refused */
  async query(query: string): Promise<Row[]> {
    const { status, text } = await ask(
      "POST",
      `${this.#server.adminUrl}/query`,
      { query },
      { accept: "application/json" },
    );
    if (status !== 200) throw new Error(`${this.name} refused ${query}: ${status} ${text}`);
    return (JSON.parse(text) as { rows: Row[] }).rows;
  }

  async stop(): Promise<void> {
    for (const close of this.#closings.toReversed()) await close();
  }
}

/** The longest wait for an answer: ten times what it takes on a busy machine. */
const ANSWERED_WITHIN_MS = Number(process.env["BESIDE_GUARD_MS"] ?? 120_000);

/** @returns an answer with the status 0 if there is none in time */
async function ask(method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    return { status: 0, headers: new Headers(), text: `no answer: ${String(error)}` };
  }
}

/** @returns the side after all deployments are registered */
export async function openSide(
  name: "ours" | "theirs",
  startOn: (dir: string) => Promise<Server>,
  services?: ServicesOf,
): Promise<Side> {
  const closings: (() => Promise<unknown>)[] = [];
  const dir = await mkdtemp(join(tmpdir(), "stepwell-beside-"));
  closings.push(() => rm(dir, { recursive: true, force: true }));
  const recorder = new Recorder();
  const server = await startOn(dir);
  closings.push(() => server.stop());
  const side = new Side(name, recorder, server, closings);
  for (const kind of KINDS) {
    const deployment = await startDeployment(kind, services ?? ((of, cut) => servicesOf(of, recorder, cut)));
    closings.push(() => deployment.stop());
    const { status, text } = await side.admin("POST", "/deployments", {
      uri: deployment.uri,
      use_http_11: kind === "request-response",
    });
    if (status !== 201) throw new Error(`${name} refused the deployment for ${kind}: ${status} ${text}`);
  }
  return side;
}

export function startReference(dir: string): Promise<Server> {
  return startServer(REFERENCE, dir);
}

/** With the settings that its release 1.8 has by default. */
export function startReferenceWithLimits(dir: string): Promise<Server> {
  const { name, command } = REFERENCE;
  const flags = Object.fromEntries(FLAGS_OF_LIMITS.map((flag) => [`RESTATE_EXPERIMENTAL_ENABLE_${flag}`, "true"]));
  const started: typeof REFERENCE = {
    name,
    command: (place) => {
      const { env, ...rest } = command(place);
      return { ...rest, env: { ...env, ...flags } };
    },
  };
  return startServer(started, dir);
}

const FLAGS_OF_LIMITS = ["VQUEUES", "PROTOCOL_V7", "SCOPED_VIRTUAL_OBJECTS"];

export async function startStepwell(dir: string): Promise<Server> {
  const flags = { "data-dir": join(dir, "data"), "ingress.port": "0", "admin.port": "0", "log.level": "error" };
  const { settings } = readSettings({ environment: {}, flags });
  const log = processLog(settings, () => {});
  const { ingressUrl, adminUrl, adminToken, stop } = await startLocalProcess(settings, "0.0.0", log);
  knowAdmin(adminUrl, adminToken);
  return { ingressUrl: ingressUrl.replace(/\/$/, ""), adminUrl: adminUrl.replace(/\/$/, ""), stop };
}
