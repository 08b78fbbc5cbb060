/** The logs of the functions: metrics in CloudWatch's format, ids by which an invocation is followed, and no private data. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http2";
import type { Server } from "node:net";
import "../../examples/polyfill.mjs";
import { createEndpointHandler, service, TerminalError, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { METRIC_FACTS } from "../../shared/config/metric-facts.ts";
import { LARGEST_LINE_BYTES, wrongWithMetrics, type MetricLine } from "./metric-rules.ts";
import { aws, ControlPlane, until } from "./control-plane.ts";
import { FUNCTION_NAMES, jsonLinesOf, linesOf, type FunctionName, type JsonLine } from "./function-logs.ts";
import { sweep } from "./hints.ts";
import { OWN_METRICS } from "../infra/own-metrics.ts";
import { startServer, type Peer } from "../harness/https/peer.ts";

/** Distinct texts, so that each is found wherever it appears. */
const PRIVATE = {
  input: "the-input-of-somebody",
  result: "the-result-of-somebody",
  step: "the-step-of-somebody",
  // The key is new in each run, because the emulator may still have the call of an earlier run under its key.
  idempotencyKey: `the-key-of-somebody-${Date.now()}`,
  header: "the-header-of-somebody",
  authorization: "Bearer the-token-of-somebody",
};
const ENVIRONMENT = "StepwellE2e";
const prices = JSON.parse(readFileSync(new URL("../../docs/prices.json", import.meta.url), "utf8")) as {
  readonly assumed: { readonly logBytesPerCall: { readonly value: number } };
};
/** CloudWatch bills this many bytes for each line beside its text. */
const LINE_EXTRA_BYTES = 26;

/** The failed attempts before the followed handler succeeds. */
const FAILURES = 2;

const plane = new ControlPlane(aws.plain);
let sinceMs: number;
let followed: string;
let called: string;
let peer: Peer;
let failed = 0;
/** The lines that the handlers write with the logger of the SDK. */
const handlerLines: { readonly told: readonly unknown[]; readonly id: string | undefined }[] = [];

beforeAll(async () => {
  const handlers = {
    keep: async (ctx: Context, input: string) => {
      await ctx.run("step", () => PRIVATE.step);
      if (input === "refused") throw new TerminalError("refused by the handler", { errorCode: 400 });
      return PRIVATE.result;
    },
    fail: async (ctx: Context) => {
      ctx.console.info("tried");
      await ctx.run("step", () => PRIVATE.step);
      failed += 1;
      if (failed <= FAILURES) throw new Error("not yet");
      return "at last";
    },
  };
  const tired = service({
    name: "tired",
    handlers: {
      fail: async () => {
        throw new Error("no more");
      },
    },
    options: { retryPolicy: { maxAttempts: 1, onMaxAttempts: "pause" } },
  });
  const endpoint = createEndpointHandler({
    services: [service({ name: "private", handlers }), tired],
    logger: ({ context }, ...told) => void handlerLines.push({ told, id: context?.invocationId }),
  });
  peer = await startServer(createServer(endpoint) as Server);
  await plane.register({ uri: peer.uri });
  sinceMs = Date.now();
  const headers = {
    "idempotency-key": PRIVATE.idempotencyKey,
    "x-of-somebody": PRIVATE.header,
    authorization: PRIVATE.authorization,
  };
  const answered = await plane.call("private/keep", PRIVATE.input, headers);
  expect(answered.text).toContain(PRIVATE.result);
  called = String(answered.headers["x-restate-id"]);
  expect((await plane.call("private/keep", "refused")).status).toBe(400);
  followed = await plane.send("private/fail", null);
  expect(await plane.result(followed)).toBe("at last");
  const paused = await plane.send("tired/fail", null);
  await plane.untilStatus(paused, "paused");
  // This sweep walks the whole open index at once, so it counts the paused invocation. Without `everything`, the sweeper begins
  // such a walk only some time after the last one.
  await sweep(aws.plain, { everything: true });
  expect(await plane.change(paused, "kill")).toBe(200);
  await sweep(aws.plain);
  await Promise.all([
    reported("Worker", paused),
    reported("Worker", called),
    reported("Worker", followed),
    reported("Ingress", followed),
  ]);
});

/**
 * Waits until Lambda has written its report on the function event that concerns this invocation. The report of the worker on a
 * call comes late, because the worker gets only the backstop of the call.
 */
async function reported(name: FunctionName, id: string): Promise<void> {
  await until(`the ${name} function reports ${id}`, async () => {
    const { requestId } =
      (await jsonLinesOf(aws.plain, name, sinceMs)).find((line) => line["invocationId"] === id) ?? {};
    const report = `REPORT RequestId: ${String(requestId)}`;
    return (await linesOf(aws.plain, name, sinceMs)).find((line) => line.startsWith(report));
  });
}

afterAll(() => peer.stop());

async function allJson(): Promise<readonly JsonLine[]> {
  return (await Promise.all(FUNCTION_NAMES.map((name) => jsonLinesOf(aws.plain, name, sinceMs)))).flat();
}

const hasMetrics = (line: JsonLine): line is MetricLine => "_aws" in line;

describe("metrics", () => {
  test("are lines in CloudWatch's format", async () => {
    const lines = (await allJson()).filter(hasMetrics);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.flatMap((line) => wrongWithMetrics(line, Date.now()))).toEqual([]);
    expect(Math.max(...lines.map((line) => JSON.stringify(line).length))).toBeLessThan(LARGEST_LINE_BYTES / 100);
  });

  test("are those of alarms and dashboard, under the same dimensions, and no others", async () => {
    const written = new Set(
      (await allJson())
        .filter(hasMetrics)
        .flatMap((line) =>
          line._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
            Metrics.map(({ Name }) => `${Namespace} ${Name} by ${[...Dimensions[0]!].sort().join(" and ")}`),
          ),
        ),
    );
    expect([...written].sort()).toEqual(OWN_METRICS);
    const environments = (await allJson()).filter(hasMetrics).map((line) => line[METRIC_FACTS.dimension]);
    expect(new Set(environments)).toEqual(new Set([ENVIRONMENT]));
  });
});

describe("an invocation can be traced by its id", () => {
  const linesWith = async (name: FunctionName, id: string) =>
    (await jsonLinesOf(aws.plain, name, sinceMs)).filter((line) => line["invocationId"] === id);

  test("into the log of its handler", () => {
    expect(handlerLines).toContainEqual({ told: ["tried"], id: followed });
  });

  test("through ingress and worker, and into Lambda's own report of each call", async () => {
    const [accepted] = await linesWith("Ingress", followed);
    expect(accepted).toMatchObject({ level: "info", function: "ingress", method: "POST", status: 202 });
    const worked = await linesWith("Worker", followed);
    expect(worked[0]).toMatchObject({ event: "wake.received", function: "worker", receiveCount: 1 });
    const failed = worked.find(({ event }) => event === "attempt.failed");
    expect(failed).toMatchObject({ errorCode: "RT0007", reason: "not yet" });
    for (const [name, line] of [
      ["Ingress", accepted],
      ["Worker", worked[0]],
      ["Worker", failed],
    ] as const) {
      const report = `REPORT RequestId: ${String(line?.["requestId"])}`;
      expect(
        (await linesOf(aws.plain, name, sinceMs)).some((told) => told.startsWith(report)),
        report,
      ).toBe(true);
    }
  });
});

test("no payload, step, header or key is in any line", async () => {
  const all = (await Promise.all(FUNCTION_NAMES.map((name) => linesOf(aws.plain, name, sinceMs)))).flat().join("\n");
  expect(all).toContain(called);
  for (const [what, text] of Object.entries(PRIVATE)) {
    expect(all.includes(text), what).toBe(false);
    expect(all.includes(Buffer.from(text).toString("base64").replace(/=+$/, "")), `${what} in base64`).toBe(false);
  }
});

test("a successful call logs no more bytes than its price assumes", async () => {
  const bytes: number[] = [];
  for (const name of ["Ingress", "Worker"] as const) {
    const lines = await linesOf(aws.plain, name, sinceMs);
    const requestId = (await jsonLinesOf(aws.plain, name, sinceMs)).find((line) => line["invocationId"] === called)?.[
      "requestId"
    ];
    const from = lines.findIndex((line) => line.startsWith(`START RequestId: ${String(requestId)}`));
    const to = lines.findIndex((line) => line.startsWith(`REPORT RequestId: ${String(requestId)}`));
    expect(to).toBeGreaterThan(from);
    // A worker's event may have other invocations; the ingress has one call at a time.
    const isIts = (line: string) =>
      line.includes(called) || line.includes(`RequestId: ${String(requestId)}`) || name === "Ingress";
    // On AWS the runtime does not write the warnings of the emulator's runtime.
    const isOurs = (line: string) => !/DeprecationWarning|--trace-deprecation/.test(line);
    const own = lines.slice(from, to + 1).filter((line) => isIts(line) && isOurs(line));
    bytes.push(own.reduce((sum, line) => sum + Buffer.byteLength(line) + LINE_EXTRA_BYTES, 0));
  }
  const [ingress, worker] = bytes as [number, number];
  console.log(`a call logs ${ingress} bytes in the ingress and ${worker} in the worker`);
  expect((ingress + worker) / 2).toBeLessThan(prices.assumed.logBytesPerCall.value);
});
