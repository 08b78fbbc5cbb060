/** Tests deployments on Lambda: the SDK behind a version and an alias, and the failures of functions. */
import { PutFunctionConcurrencyCommand } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LambdaEndpoints } from "../../shared/adapters/lambda/lambda-endpoints.ts";
import type { LambdaClientsOptions } from "../../shared/adapters/lambda/lambda-clients.ts";
import { COMMANDS } from "../../shared/core/protocol/commands.ts";
import { Conversation } from "../../shared/core/protocol/conversation.ts";
import { messageFrame } from "../../shared/core/protocol/frame.ts";
import { MANIFEST_ACCEPT, parseManifest } from "../../shared/core/protocol/manifest.ts";
import type { AttemptReply } from "../../shared/core/protocol/received.ts";
import { requestBody } from "../../shared/core/protocol/request-body.ts";
import { invocationContentType } from "../../shared/core/protocol/version.ts";
import type { Exchange, ExchangeRequest } from "../../shared/engine/ports/endpoints.ts";
import { readAll, reasonOf } from "../contracts/endpoints-contract.ts";
import { openFunction, type OpenFunction } from "./open-function.ts";
import { serviceOptions } from "./services.ts";

const VERSION = 7;
const TIMEOUT_S = 3;

let endpoints: LambdaEndpoints;
beforeAll(() => {
  endpoints = endpointsWith();
});
afterAll(() => endpoints.close());

function endpointsWith(more: Partial<LambdaClientsOptions> = {}): LambdaEndpoints {
  const { endpoint, credentials } = serviceOptions();
  return new LambdaEndpoints({ endpoint, credentials, ...more });
}

function open(arn: string, path: string, change: Partial<ExchangeRequest> = {}): Exchange {
  return endpoints.open({
    destination: { arn },
    method: "POST",
    path,
    headers: { "content-type": invocationContentType(VERSION), accept: invocationContentType(VERSION) },
    body: [],
    halfClose: true,
    ...change,
  });
}

describe("the SDK on Lambda", () => {
  let greeter: OpenFunction;
  beforeAll(async () => {
    greeter = await openFunction("greeter", TIMEOUT_S);
  });
  afterAll(() => greeter.close());

  test("is discovered", async () => {
    const exchange = open(greeter.aliasArn, "/discover", { method: "GET", headers: { accept: MANIFEST_ACCEPT } });
    const { status, headers } = await exchange.head();
    expect(status).toBe(200);
    const manifest = parseManifest(headers["content-type"], await readAll(exchange));
    expect(manifest).toMatchObject({ protocolMode: "request-response", lambdaCompression: "zstd" });
    expect(manifest.services.map(({ name }) => name)).toEqual(["Greeter"]);
  });

  test.each(["versionArn", "aliasArn"] as const)("runs a handler by %s, attempt by attempt", async (qualified) => {
    const input = messageFrame(COMMANDS.Input.code, COMMANDS.Input.type, { value: { content: Buffer.from('"ada"') } });
    const first = await attempt(greeter[qualified], [input]);
    expect(first.ending.kind).toBe("suspended");
    const second = await attempt(greeter[qualified], [input, ...first.received.map(({ frame }) => frame)]);
    expect(second.ending).toEqual({ kind: "ended" });
    const output = second.received.at(-1);
    expect(output).toMatchObject({ kind: "command", name: "Output" });
    expect(Buffer.from(output!.frame).toString()).toContain('"Hello, ADA"');
  });

  async function attempt(arn: string, frames: readonly Uint8Array[]): Promise<AttemptReply> {
    const start = {
      id: new Uint8Array(24).fill(1),
      debugId: "inv_x",
      state: [],
      partialState: true,
      retryCount: 0,
      durationMs: 0,
      randomSeed: 42n,
    };
    const exchange = open(arn, "/invoke/Greeter/greet", {
      body: requestBody({ version: VERSION, start, frames, knownEntries: frames.length }),
    });
    const { status, headers } = await exchange.head();
    expect([status, headers["content-type"]]).toEqual([200, invocationContentType(VERSION)]);
    const openRuns = new Set<number>();
    const conversation = new Conversation({
      version: VERSION,
      messageSizeMaxBytes: 1 << 20,
      openRuns,
      hasOutput: false,
    });
    conversation.receive(await readAll(exchange));
    return conversation.finish("eof");
  }
});

describe("a function", () => {
  let rogue: OpenFunction;
  beforeAll(async () => {
    rogue = await openFunction("rogue", TIMEOUT_S);
  });
  afterAll(() => rogue.close());

  test("gets exactly the event of the protocol, and the headers of its answer are read in lower case", async () => {
    const headers = { "content-type": "x/y", accept: "x/y" };
    const body = [Buffer.from([0, 255]), Buffer.from([7])];
    const exchange = open(rogue.versionArn, "/invoke/S/h", { headers, body });
    const head = await exchange.head();
    expect(head).toMatchObject({ status: 200, headers: { "content-type": "application/json", "x-version": "1" } });
    expect(JSON.parse((await readAll(exchange)).toString())).toEqual({
      path: "/invoke/S/h",
      httpMethod: "POST",
      headers,
      body: Buffer.from([0, 255, 7]).toString("base64"),
      isBase64Encoded: true,
    });
    expect(await exchange.next()).toBeUndefined();
  });

  test("is called at the half-close, with all bytes written until then", async () => {
    const exchange = open(rogue.versionArn, "/echo", { body: [Buffer.from("a")], halfClose: false });
    exchange.write(Buffer.from("b"));
    exchange.halfClose();
    const event = JSON.parse((await readAll(exchange)).toString()) as { body: string };
    expect(Buffer.from(event.body, "base64").toString()).toBe("ab");
  });

  test("that refuses by a status gives an ordinary answer", async () => {
    const exchange = open(rogue.versionArn, "/refuse");
    expect(await exchange.head()).toMatchObject({ status: 429, headers: { "retry-after": "7" } });
    expect((await readAll(exchange)).toString()).toBe("later");
  });

  test.each([
    ["/throw", "the handler is on fire"],
    ["/exit", "failed"],
    ["/hang", "Task timed out after 3.00 seconds"],
    ["/nothing", "it is no JSON object"],
    ["/hello", "it is no JSON object"],
    ["/status", "statusCode is no status"],
    ["/zipped", "content-encoding is 'gzip'"],
  ])("that ends by %s breaks the exchange with the reason", async (path, why) => {
    const exchange = open(rogue.versionArn, path);
    await expect(exchange.head()).rejects.toThrow(why);
    expect(await reasonOf(exchange.head())).toBe("broken");
    expect(await reasonOf(exchange.next())).toBe("broken");
  });

  test("that does not exist, or lacks the requested version, is unreachable", async () => {
    expect(await reasonOf(open(`${rogue.arn}-gone:1`, "/echo").head())).toBe("unreachable");
    expect(await reasonOf(open(`${rogue.arn}:99`, "/echo").head())).toBe("unreachable");
  });

  test("without a version is refused as unreachable", async () => {
    const exchange = open(rogue.arn, "/echo");
    await expect(exchange.head()).rejects.toThrow("names no version");
    expect(await reasonOf(exchange.head())).toBe("unreachable");
  });

  test("gets no event above six megabytes", async () => {
    const fits = open(rogue.versionArn, "/nothing", { body: [new Uint8Array(4_700_000)] });
    expect(await reasonOf(fits.head())).toBe("broken");
    const exchange = open(rogue.versionArn, "/echo", { body: [new Uint8Array(4_720_000)] });
    await expect(exchange.head()).rejects.toThrow("Lambda takes at most 6291456");
    expect(await reasonOf(exchange.head())).toBe("too-large");
  });

  test("serves the next call after an aborted exchange, whose reads fail as aborted", async () => {
    const exchange = open(rogue.versionArn, "/busy");
    const head = reasonOf(exchange.head());
    exchange.abort();
    expect(await head).toBe("aborted");
    expect(await reasonOf(exchange.next())).toBe("aborted");
    const unsent = open(rogue.versionArn, "/busy", { halfClose: false });
    unsent.abort();
    unsent.halfClose();
    expect(await reasonOf(unsent.head())).toBe("aborted");
    const after = open(rogue.versionArn, "/echo");
    expect((await after.head()).status).toBe(200);
    after.abort();
    expect(await readAll(after)).not.toHaveLength(0);
  });

  test("that exceeds our time limit breaks the exchange", async () => {
    const impatient = endpointsWith({ requestTimeoutMs: 500 });
    const exchange = impatient.open({
      destination: { arn: rogue.versionArn },
      method: "POST",
      path: "/busy",
      headers: {},
      body: [],
      halfClose: true,
    });
    expect(await reasonOf(exchange.head())).toBe("broken");
    impatient.close();
  });
});

test("calls above the concurrency of a function are throttled", async () => {
  const full = await openFunction("rogue", TIMEOUT_S);
  const limit = { FunctionName: full.name, ReservedConcurrentExecutions: 1 };
  await full.client.send(new PutFunctionConcurrencyCommand(limit));
  // The emulator exempts versions from the limit; AWS counts all versions together.
  const latest = `${full.arn}:$LATEST`;
  await open(latest, "/echo").head();
  const heads = Array.from({ length: 4 }, () => open(latest, "/busy").head());
  const outcomes = await Promise.allSettled(heads);
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(outcomes.length - refused.length).toBeGreaterThanOrEqual(1);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  for (const { reason } of refused) expect(reason).toMatchObject({ name: "TransportError", reason: "throttled" });
  await full.close();
});
