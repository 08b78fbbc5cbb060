/** The deployment for the tests of traces; each handler records the traceparent of its attempts. */
import { createServer } from "node:http2";
import type { Context, ObjectContext } from "@restatedev/restate-sdk";
import { onTestFinished } from "vitest";
import { startServer } from "../../harness/https/peer.ts";
import "../../../examples/polyfill.mjs";

const { createEndpointHandler, object, service } = await import("@restatedev/restate-sdk");

export interface TracedDeployment {
  readonly uri: string;
  /** The traceparent of each attempt, in order, by handler; an empty text if the request had no traceparent. */
  readonly told: Readonly<Record<"outer" | "inner" | "unwell" | "waiter", string[]>>;
  /** The awakeable of each attempt of the waiter. */
  readonly awakeables: readonly string[];
}

export async function startTraced(): Promise<TracedDeployment> {
  const told: TracedDeployment["told"] = { outer: [], inner: [], unwell: [], waiter: [] };
  const awakeables: string[] = [];
  const note = (ctx: Context, handler: keyof typeof told): void => {
    const header = ctx.request().attemptHeaders.get("traceparent");
    told[handler].push(String(header ?? ""));
  };
  const inner = service({
    name: "Inner",
    handlers: {
      async greet(ctx: Context, name: string) {
        note(ctx, "inner");
        return `hello ${name}`;
      },
    },
  });
  const outer = service({
    name: "Outer",
    handlers: {
      async greet(ctx: Context, name: string) {
        note(ctx, "outer");
        const trimmed = await ctx.run("trim", () => name.trim());
        return await ctx.serviceClient(inner).greet(trimmed);
      },
      async sender(ctx: Context, name: string) {
        ctx.serviceSendClient(inner).greet(name);
      },
      async unwell(ctx: Context) {
        note(ctx, "unwell");
        if (told.unwell.length === 1) throw new Error("the first time is hard");
        return "well";
      },
      async waiter(ctx: Context) {
        note(ctx, "waiter");
        const { id, promise } = ctx.awakeable<string>();
        awakeables.push(id);
        return await promise;
      },
    },
  });
  const keyed = object({ name: "Keyed", handlers: { hold: async (_ctx: ObjectContext, name: string) => name } });
  const handler = createEndpointHandler({ services: [inner, outer, keyed], logger: () => {} });
  const peer = await startServer(createServer(handler));
  onTestFinished(() => peer.stop());
  return { uri: peer.uri, told, awakeables };
}
