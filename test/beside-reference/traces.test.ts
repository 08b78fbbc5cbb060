/** The same handlers on the reference server and on Stepwell give a collector spans of the same names, parents, results and events. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context, ObjectContext } from "@restatedev/restate-sdk";
import { expect, onTestFinished, test } from "vitest";
import { startLocalProcess } from "../../functions/local/local-process.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { processLog } from "../../shared/wiring/process-log.ts";
import { openGrpcReceiver, type OtlpReceiver } from "../adapters/tracing/otlp-receiver.ts";
import type { ReadSpan } from "../adapters/tracing/otlp-wire.ts";
import { REFERENCE, startServer as startContestant } from "../compat/contestants.mjs";
import { startServer } from "../harness/https/peer.ts";
import "../../examples/polyfill.mjs";
import type { Server } from "./side.ts";
import { fetch, knowAdmin } from "../harness/local/admin-access.ts";

const { createEndpointHandler, object, service, TerminalError } = await import("@restatedev/restate-sdk");

const STEPS = 140;
const CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** The deployment of one side; it ends with the test. */
async function startTracedDeployment(): Promise<string> {
  let attempts = 0;
  const counter = object({
    name: "Counter",
    handlers: {
      add: async (ctx: ObjectContext, by: number) => {
        const sum = ((await ctx.get<number>("sum")) ?? 0) + by;
        ctx.set("sum", sum);
        return sum;
      },
      /** More commands than a span has events. */
      climbs: async (ctx: ObjectContext) => {
        for (let step = 0; step < STEPS; step++) ctx.set("step", step);
        ctx.clear("step");
        ctx.clearAll();
      },
    },
  });
  const inner = service({
    name: "Inner",
    handlers: { greet: async (_ctx: Context, name: string) => `hello ${name}` },
  });
  const greeter = service({
    name: "Greeter",
    handlers: {
      all: async (ctx: Context, name: string) => {
        const trimmed = await ctx.run("trim", () => name.trim());
        ctx.serviceSendClient(inner).greet(trimmed);
        await ctx.objectClient(counter, "a b").add(1);
        await ctx.sleep(1);
        await ctx.run(() => "without a name");
        const { id, promise } = ctx.awakeable<string>();
        ctx.resolveAwakeable(id, "woken");
        await promise;
        await ctx
          .run("fails", () => {
            throw new TerminalError("this step fails");
          })
          .catch(() => undefined);
        return await ctx.serviceClient(inner).greet(trimmed);
      },
      secondTry: async () => {
        attempts += 1;
        if (attempts === 1) throw new Error("the first try fails");
        return "well";
      },
      refuse: async () => {
        throw new TerminalError("no", { errorCode: 409 });
      },
    },
  });
  const peer = await startServer(
    createServer(createEndpointHandler({ services: [counter, inner, greeter], logger: () => {} })),
  );
  onTestFinished(() => peer.stop());
  return peer.uri;
}

/** Makes the same calls on a server, and waits until all of their invocations have ended for the collector. */
async function play({ ingressUrl, adminUrl }: Server, receiver: OtlpReceiver): Promise<string[]> {
  const json = { "content-type": "application/json" };
  const post = async (url: string, body: unknown, headers: Record<string, string> = {}): Promise<number> => {
    const answer = await fetch(url, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });
    await answer.arrayBuffer();
    return answer.status;
  };
  expect(await post(`${adminUrl}/deployments`, { uri: await startTracedDeployment() })).toBe(201);
  expect(await post(`${ingressUrl}/Greeter/all`, " Ada ", { traceparent: CALLER })).toBe(200);
  expect(await post(`${ingressUrl}/Counter/k/add`, 2)).toBe(200);
  expect(await post(`${ingressUrl}/Counter/k/climbs`, "")).toBe(200);
  expect(await post(`${ingressUrl}/Greeter/secondTry`, "")).toBe(200);
  expect(await post(`${ingressUrl}/Greeter/refuse`, "")).toBe(409);
  await receiver.seen("invocation-end Inner/greet", 2);
  for (const name of ["Greeter/all", "Greeter/secondTry", "Greeter/refuse"])
    await receiver.seen(`invocation-end ${name}`);
  await receiver.seen("invocation-end Counter/{key}/add", 2);
  await receiver.seen("invocation-attempt Counter/{key}/climbs");
  await receiver.seen("invocation-end Counter/{key}/climbs");
  await receiver.seen("invocation-attempt Greeter/secondTry", 2);
  return traces(receiver.spans);
}

/** Each trace as its tree, with the facts that both servers tell; ids are left out. */
function traces(spans: readonly ReadSpan[]): string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => !known.has(parentSpanId));
  return roots.map((root) => subtree(spans, root, "").join("\n")).toSorted();
}

function subtree(spans: readonly ReadSpan[], span: ReadSpan, indent: string): string[] {
  const below = spans.filter(({ parentSpanId, traceId }) => parentSpanId === span.spanId && traceId === span.traceId);
  const linked = span.links.map((link) => ` <- ${spans.find(({ spanId }) => link.endsWith(spanId))?.name}`);
  const isJoined = span.traceId === CALLER.split("-")[1] ? " in the caller's trace" : "";
  const { attributes } = span;
  const facts = ["rpc.service", "rpc.method", "restate.invocation.target", "restate.invocation.result"]
    .map((name) => attributes[name])
    .join(" ");
  const named = attributes["restate.invocation.id"] === undefined ? " without an id" : "";
  const line = `${indent}${span.name} (${facts})${named}${span.status === 2 ? " failed" : ""}${linked.join("")}${isJoined}`;
  const events = span.events.map(({ name, attributes: of }) => `${indent}  * ${name} ${JSON.stringify(of)}`);
  const dropped = span.droppedEvents > 0 ? [`${indent}  * and ${span.droppedEvents} more`] : [];
  return [line, ...events, ...dropped, ...below.map((one) => subtree(spans, one, `${indent}  `).join("\n")).toSorted()];
}

async function startTracedStepwell(endpoint: string, dir: string): Promise<Server> {
  const flags = {
    "data-dir": join(dir, "data"),
    "ingress.port": "0",
    "admin.port": "0",
    "log.level": "error",
    "tracing-endpoint": endpoint,
  };
  const { settings } = readSettings({ environment: {}, flags });
  const { ingressUrl, adminUrl, adminToken, stop } = await startLocalProcess(
    settings,
    "0.0.0",
    processLog(settings, () => {}),
  );
  knowAdmin(adminUrl, adminToken);
  return { ingressUrl: ingressUrl.replace(/\/$/, ""), adminUrl: adminUrl.replace(/\/$/, ""), stop };
}

async function startTracedReference(endpoint: string, dir: string): Promise<Server> {
  const traced: typeof REFERENCE = {
    ...REFERENCE,
    command: (place) => {
      const { command, args, env } = REFERENCE.command(place);
      // The reference speaks gRPC to a plain address.
      return { command, args, env: { ...env, RESTATE_TRACING_ENDPOINT: endpoint.replace("grpc:", "http:") } };
    },
  };
  return await startContestant(traced, dir);
}

test("both servers send a collector the same traces", async () => {
  const dir = await mkdtemp(join(tmpdir(), "stepwell-traces-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const [ours, theirs] = await Promise.all(
    [startTracedStepwell, startTracedReference].map(async (start) => {
      const receiver = await openGrpcReceiver();
      const server = await start(receiver.uri, dir);
      onTestFinished(async () => void (await server.stop()));
      return await play(server, receiver);
    }),
  );
  expect(ours).toEqual(theirs);
  expect(ours).toHaveLength(6);
  expect(ours!.join("\n")).toContain(" more");
});
