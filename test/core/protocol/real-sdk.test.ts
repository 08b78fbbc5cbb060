/** Tests the SDK's own Lambda handler with our requests and our conversation, in every version. */
import { beforeAll, describe, expect, test } from "vitest";
import { Conversation } from "../../../shared/core/protocol/conversation.ts";
import { COMMANDS } from "../../../shared/core/protocol/commands.ts";
import { messageFrame } from "../../../shared/core/protocol/frame.ts";
import { requestBody } from "../../../shared/core/protocol/request-body.ts";
import type { AttemptReply } from "../../../shared/core/protocol/received.ts";
import {
  PROTOCOL_VERSIONS,
  invocationContentType,
  type ProtocolVersion,
} from "../../../shared/core/protocol/version.ts";
import { sleepCompletion } from "../../../shared/core/protocol/notifications.ts";
import { parseManifest } from "../../../shared/core/protocol/manifest.ts";

interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

let lambda: (event: unknown, context: unknown) => Promise<LambdaAnswer>;

beforeAll(async () => {
  // The SDK needs this function of newer Node releases.
  const promises = Promise as unknown as { withResolvers?: unknown };
  promises.withResolvers ??= () => {
    let resolve, reject;
    const promise = new Promise((keep, refuse) => {
      resolve = keep;
      reject = refuse;
    });
    return { promise, resolve, reject };
  };
  const { createEndpointHandler, service } = await import("@restatedev/restate-sdk/lambda");
  const greeter = service({
    name: "Greeter",
    handlers: {
      run: async (ctx, name: string) => `Hello, ${await ctx.run("spell", () => name.toUpperCase())}`,
      sleep: async (ctx) => {
        await ctx.sleep(1000);
        return "rested";
      },
      stumble: async (ctx) => ctx.run("fall", () => Promise.reject(new Error("slippery")), { maxRetryAttempts: 9 }),
    },
  });
  lambda = createEndpointHandler({ services: [greeter], logger: () => {} }) as unknown as typeof lambda;
});

async function attempt(
  handler: string,
  version: ProtocolVersion,
  frames: readonly Uint8Array[],
): Promise<AttemptReply> {
  const start = {
    id: new Uint8Array(24).fill(1),
    debugId: "inv_x",
    state: [],
    partialState: true,
    retryCount: 0,
    durationMs: 0,
    randomSeed: 42n,
  };
  const body = Buffer.concat(requestBody({ version, start, frames, knownEntries: frames.length }));
  const answer = await lambda(
    {
      path: `/invoke/Greeter/${handler}`,
      httpMethod: "POST",
      headers: { "content-type": invocationContentType(version), accept: invocationContentType(version) },
      body: body.toString("base64"),
      isBase64Encoded: true,
    },
    {},
  );
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toBe(invocationContentType(version));
  const conversation = new Conversation({
    version,
    messageSizeMaxBytes: 1 << 20,
    openRuns: new Set(),
    hasOutput: false,
  });
  conversation.receive(Buffer.from(answer.body, "base64"));
  return conversation.finish("eof");
}

const input = (json: string) =>
  messageFrame(COMMANDS.Input.code, COMMANDS.Input.type, { value: { content: Buffer.from(json) } });
const outputOf = ({ received }: AttemptReply): string | undefined => {
  const last = received.at(-1);
  return last?.kind === "command" && last.name === "Output"
    ? Buffer.from(last.message.value!.content).toString()
    : undefined;
};

describe.each(PROTOCOL_VERSIONS)("the TypeScript SDK on V%i", (version) => {
  test("runs a step, suspends on it, and completes when its result is replayed", async () => {
    const first = await attempt("run", version, [input('"ada"')]);
    expect(first.received.map((item) => (item.kind === "command" ? item.name : item.kind))).toEqual([
      "Run",
      "proposal",
    ]);
    const leaves = { completions: [1], signals: [1], namedSignals: [], nested: [], combinator: "first-completed" };
    expect(first.ending).toEqual({ kind: "suspended", awaiting: leaves });
    const second = await attempt("run", version, [input('"ada"'), ...first.received.map((item) => item.frame)]);
    expect(second.ending).toEqual({ kind: "ended" });
    expect(outputOf(second)).toBe('"Hello, ADA"');
  });

  test("sleeps, and continues when the sleep is completed", async () => {
    const first = await attempt("sleep", version, [input("null")]);
    const [sleep] = first.received;
    if (sleep?.kind !== "command" || sleep.name !== "Sleep") throw new Error("expected a sleep");
    expect(sleep.message.wakeUpTimeMs).toBeGreaterThan(1_600_000_000_000);
    const { resultCompletionId } = sleep.message;
    const second = await attempt("sleep", version, [input("null"), sleep.frame, sleepCompletion(resultCompletionId)]);
    expect(second.ending).toEqual({ kind: "ended" });
    expect(outputOf(second)).toBe('"rested"');
  });

  test("keeps the run command that precedes an error", async () => {
    const reply = await attempt("stumble", version, [input("null")]);
    expect(reply.received.map((item) => (item.kind === "command" ? item.name : item.kind))).toEqual(["Run"]);
    expect(reply.ending).toMatchObject({
      kind: "error",
      code: 500,
      message: expect.stringContaining("slippery"),
      behavior: "retry",
    });
    expect(reply.ending).toMatchObject({ related: { commandIndex: 1, commandName: "fall", commandType: 0x0411 } });
  });
});

test("the SDK's own manifest is read", async () => {
  const accept = "application/vnd.restate.endpointmanifest.v4+json";
  const answer = await lambda(
    { path: "/discover", httpMethod: "GET", headers: { accept }, body: "", isBase64Encoded: true },
    {},
  );
  const manifest = parseManifest(answer.headers["content-type"]!, Buffer.from(answer.body, "base64"));
  expect(manifest).toMatchObject({ protocolMode: "request-response", minProtocolVersion: 5, maxProtocolVersion: 7 });
  expect(manifest.services.map(({ name, type }) => ({ name, type }))).toEqual([{ name: "Greeter", type: "service" }]);
  expect(manifest.services[0]!.handlers.map(({ name }) => name).sort()).toEqual(["run", "sleep", "stumble"]);
});
