/** The handlers of the scenarios, for the real SDK. */
import "../../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk/lambda";
import type { Context } from "@restatedev/restate-sdk/lambda";
import { createEndpointHandler as createStreamingHandler } from "@restatedev/restate-sdk/fetch";
import type { FetchHandler } from "../stream-deployment.ts";
import type { LambdaHandler } from "../lambda-deployment.ts";
import { desk, far as farObject, pen } from "./desk-services.ts";
import { box, flow } from "./keyed-services.ts";
import { longStep, retrying, step } from "./step.ts";

const { RestatePromise, handlers } = restate;

const service = restate.service({
  name: "Sim",
  handlers: {
    echo: async (_ctx: Context, input: unknown) => input,
    one: async (ctx: Context) => step(ctx, "r1"),
    five: async (ctx: Context) => {
      const tokens: string[] = [];
      for (const name of ["r1", "r2", "r3", "r4", "r5"]) tokens.push(await step(ctx, name));
      return tokens;
    },
    parallel: async (ctx: Context) => RestatePromise.all(["r1", "r2", "r3"].map((name) => step(ctx, name))),
    nap: async (ctx: Context, ms: number) => {
      const before = await step(ctx, "before");
      await ctx.sleep(ms);
      return [before, await step(ctx, "after")];
    },
    /** Runs for this time, without a pause. */
    hold: async (ctx: Context, ms: number) => longStep(ctx, "held", ms),
    /** Its output says which of several invocations ended. */
    doze: async (ctx: Context, ms: number) => {
      await ctx.sleep(ms);
      return ms;
    },
    parent: async (ctx: Context) => {
      const before = await step(ctx, "before");
      const child = await ctx.serviceClient(sim).one();
      return [before, child, await step(ctx, "after")];
    },
    first: async (ctx: Context) => [await step(ctx, "f"), await ctx.serviceClient(sim).second()],
    second: async (ctx: Context) => {
      const third: unknown = await ctx.serviceClient(sim).third();
      return [await step(ctx, "s"), third];
    },
    third: async (ctx: Context) => [await step(ctx, "t")],
    sender: async (ctx: Context, delay: number) => {
      ctx.serviceSendClient(sim).one(...(delay > 0 ? [restate.rpc.sendOpts({ delay })] : []));
      return step(ctx, "sent");
    },
    awaiter: async (ctx: Context) => {
      const { id, promise } = ctx.awakeable<string>();
      ctx.serviceSendClient(sim).resolver(id);
      return [await promise, await step(ctx, "after")];
    },
    resolver: async (ctx: Context, id: string) => {
      const token = await step(ctx, "resolving");
      ctx.resolveAwakeable(id, token);
      return token;
    },
    attacher: async (ctx: Context, id: string) => {
      const found: unknown = await ctx.attach(restate.InvocationIdParser.fromString(id));
      return [await step(ctx, "before"), found];
    },
    stumbling: handlers.handler(retrying(300), async (ctx: Context) => step(ctx, "stumble")),
    reeling: handlers.handler(retrying(300), async (ctx: Context) => step(ctx, "reel")),
    falling: handlers.handler(retrying(5_000), async (ctx: Context) => step(ctx, "stumble")),
    restless: handlers.handler(retrying(300), async (ctx: Context, ms: number) => {
      const napping = ctx.serviceClient(sim).nap(ms);
      return [await step(ctx, "stumble"), await napping];
    }),
    race: async (ctx: Context) =>
      RestatePromise.race([1_000, 4_000, 7_000].map((ms) => ctx.serviceClient(sim).nap(ms))),
    /** Three invocations of one key: they begin in this order. */
    fan: async (ctx: Context, key: string) => {
      const sender = ctx.objectSendClient<typeof box>({ name: "Box" }, key);
      sender.push("a");
      sender.push("b");
      return ctx.objectClient<typeof box>({ name: "Box" }, key).push("c");
    },
    guardian: async (ctx: Context, ms: number) => [await step(ctx, "before"), await ctx.serviceClient(sim).nap(ms)],
  },
});

/** An explicit type, because handlers that call their neighbours have a circular inferred type. */
interface Sim {
  one(ctx: Context): Promise<string>;
  second(ctx: Context): Promise<unknown>;
  third(ctx: Context): Promise<unknown>;
  nap(ctx: Context, ms: number): Promise<string[]>;
  resolver(ctx: Context, id: string): Promise<string>;
}

const sim: restate.ServiceDefinition<"Sim", Sim> = { name: "Sim" };

const services = [service, box, flow, desk, pen];

export const lambda = restate.createEndpointHandler({ services, logger: () => {} }) as unknown as LambdaHandler;

/** The second deployment. */
export const far = restate.createEndpointHandler({
  services: [farObject],
  logger: () => {},
}) as unknown as LambdaHandler;

/** The same services on exchanges that stay open. */
export const streaming: FetchHandler = createStreamingHandler({ services, bidirectional: true, logger: () => {} });
