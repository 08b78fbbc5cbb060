/** The same calls on each server: afterwards every status occurs, and no status changes for an hour. */
import { setTimeout as sleep } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { fetch } from "../harness/local/admin-access.ts";

export interface Server {
  readonly ingressUrl: string;
  readonly adminUrl: string;
}

export type Ids = Readonly<Record<string, string>>;

const POLL_EVERY_MS = 25;
/** Rows are shown in the order of their creation, so no two calls are made in the same millisecond. */
const BETWEEN_CALLS_MS = 10;
/** A workflow takes no idempotency key. One other call is made without a key as well. */
const KEYLESS: ReadonlySet<string> = new Set(["done", "open", "awaits"]);

/** @returns the ids for the URLs of UI pages: the id of the deployment, and the id of each named call's invocation */
export async function makeHistory(server: Server, deploymentUrl: string): Promise<Ids> {
  const registered = await ask("POST", `${server.adminUrl}/deployments`, { uri: deploymentUrl, use_http_11: true });
  const { id } = registered as { id: string };
  const call = async (path: string, body: unknown) => {
    await ask("POST", `${server.ingressUrl}${path}`, body);
    await sleep(BETWEEN_CALLS_MS);
  };
  /** @param name the name of the call, which is also its idempotency key if it has one */
  const send = async (name: string, path: string, status: string, body: unknown = null) => {
    const headers = KEYLESS.has(name) ? {} : { "idempotency-key": name };
    const sent = (await ask("POST", `${server.ingressUrl}${path}`, body, headers)) as { invocationId: string };
    await untilStatus(server, sent.invocationId, status);
    return sent.invocationId;
  };
  const operate = async (invocation: string, operation: string, status: string) => {
    await ask("PATCH", `${server.adminUrl}/invocations/${invocation}/${operation}`);
    await untilStatus(server, invocation, status);
    return invocation;
  };
  await call("/Greeter/greet", "Ann");
  await call("/Counter/a/add", 3);
  await call("/Counter/a/add", 4);
  const done = await send("done", "/Signup/ann/run/send", "suspended", "ann@example.com");
  await call("/Signup/ann/verify", "1234");
  await untilStatus(server, done, "completed");
  return {
    deployment: id,
    done,
    greeted: await send("greeted", "/Greeter/greet/send", "completed", "Bob"),
    call: await send("call", "/Greeter/call/send", "completed"),
    refused: await send("refused", "/Greeter/refuse/send", "completed"),
    nap: await send("nap", "/Greeter/nap/send", "suspended"),
    stumble: await send("stumble", "/Greeter/stumble/send", "backing-off"),
    paused: await operate(await send("paused", "/Greeter/stumble/send", "backing-off"), "pause", "paused"),
    killed: await operate(await send("killed", "/Greeter/nap/send", "suspended"), "kill", "completed"),
    cancelled: await operate(await send("cancelled", "/Greeter/nap/send", "suspended"), "cancel", "completed"),
    scheduled: await send("scheduled", "/Greeter/greet/send?delay=1h", "scheduled", "Later"),
    hold: await send("hold", "/Counter/b/hold/send", "suspended"),
    waits: await send("waits", "/Counter/b/add/send", "pending", 1),
    open: await send("open", "/Signup/bob/run/send", "suspended", "bob@example.com"),
    awaits: await send("awaits", "/Greeter/await/send", "suspended"),
    runs: await send("runs", "/Greeter/run/send", "running"),
  };
}

/** Polls the status, because a send takes effect a moment later. */
async function untilStatus({ adminUrl }: Server, id: string, status: string): Promise<void> {
  const query = `select status from sys_invocation where id = '${id}'`;
  for (const endMs = Date.now() + SEEN_WITHIN_MS; Date.now() < endMs;) {
    const { rows } = (await ask("POST", `${adminUrl}/query`, { query })) as { rows: { status: string }[] };
    if (rows[0]?.status === status) return;
    await sleep(POLL_EVERY_MS);
  }
  throw new Error(`${id} has not become ${status}`);
}

/** @throws Error with the answer if its status is no success */
async function ask(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}
