/** Tests how much state travels with a request: all, a part, or none. The handlers read the same values each time. */
import "../../examples/polyfill.mjs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createEndpointHandler } from "@restatedev/restate-sdk/fetch";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SettingPath } from "../../shared/config/settings-table.ts";
import { decode } from "../../shared/core/model/proto3-decode.ts";
import { StartMessage } from "../../shared/core/protocol/control-messages.ts";
import { framesOf } from "../../shared/core/protocol/frame.ts";
import { KEYED_SERVICES } from "../harness/local/keyed-services.ts";
import { listen, openLocalStage, type Listening, type LocalStage } from "../harness/local/local-stage.ts";

/** The state in a request: whether more may exist, and the names of its values. */
interface Brought {
  readonly handler: string;
  readonly partial: boolean;
  readonly names: readonly string[];
}

const answer = createEndpointHandler({ services: KEYED_SERVICES, logger: () => {} });
let brought: Brought[];
let deployment: Listening;
let stage: LocalStage | undefined;

beforeEach(async () => {
  brought = [];
  deployment = await listen(createServer((request, response) => void passOn(request, response)));
});

afterEach(async () => {
  await stage?.close();
  await deployment.close();
});

/** Reads the start message of each attempt, and passes the request to the SDK. */
async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces);
  const { method = "GET", url = "/" } = request;
  if (method === "POST") brought.push(startOf(url, body));
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const init = method === "POST" ? { method, headers, body } : { method, headers };
  const answered = await answer(new Request(`http://deployment${url}`, init));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.end(Buffer.from(await answered.arrayBuffer()));
}

function startOf(url: string, body: Uint8Array): Brought {
  const { partialState, stateMap } = decode(StartMessage, framesOf(body)[0]!.payload);
  const names = stateMap.map(({ key }) => new TextDecoder().decode(key)).toSorted();
  return { handler: url.slice(url.lastIndexOf("/") + 1), partial: partialState, names };
}

async function open(flags: Partial<Record<SettingPath, string>>): Promise<void> {
  stage = await openLocalStage({ flags });
  await stage.register(deployment.uri, { use_http_11: true });
}

async function call(handler: string, input?: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const init = input === undefined ? {} : { headers, body: JSON.stringify(input) };
  const response = await fetch(`${stage!.ingressUri}/Counter/k/${handler}`, { method: "POST", ...init });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  return text === "" ? undefined : JSON.parse(text);
}

const LARGE = "x".repeat(3_000);
const VALUES = { large: LARGE, note: "short", sum: 1 };

/**
 * Writes, adds and reads.
 * @returns the state in the last request of each handler
 */
async function tryOut(): Promise<Readonly<Record<string, Brought>>> {
  await call("put", VALUES);
  expect(await call("add", 1)).toBe(2);
  expect(await call("sum")).toBe(2);
  expect(await call("state")).toEqual({ ...VALUES, sum: 2 });
  return Object.fromEntries(brought.toReversed().map((each) => [each.handler, each]));
}

test("all of a small state travels with the request", async () => {
  await open({});
  const { put, add, sum, state } = await tryOut();
  expect(put).toMatchObject({ partial: false, names: [] });
  for (const each of [add, sum, state]) expect(each).toMatchObject({ partial: false, names: ["large", "note", "sum"] });
  expect(brought).toHaveLength(4);
});

test("worker.invoker.eager-state-size-limit leaves out values that do not fit, and marks the state as partial", async () => {
  await open({ "worker.invoker.eager-state-size-limit": "1KiB" });
  const { put, add, sum, state } = await tryOut();
  expect(put).toMatchObject({ partial: false, names: [] });
  for (const each of [add, sum, state]) {
    expect(each!.partial).toBe(true);
    expect(each!.names).not.toContain("large");
  }
});

test("worker.invoker.disable-eager-state sends no state, and marks even an empty state as partial", async () => {
  await open({ "worker.invoker.disable-eager-state": "true" });
  const { put, add, sum, state } = await tryOut();
  for (const each of [put, add, sum, state]) expect(each).toMatchObject({ partial: true, names: [] });
});
