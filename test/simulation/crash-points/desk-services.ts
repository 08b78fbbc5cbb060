/** Handlers for what operators and the passing of days do: the service `Desk`, and the object `Far` at a deployment of its own. */
import "../../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk/lambda";
import type { Context, ObjectContext } from "@restatedev/restate-sdk/lambda";
import type { flow } from "./keyed-services.ts";
import { step } from "./step.ts";

const { handlers } = restate;

/** Shorter than the retention of the result, so that the sweeper drops the journal first. */
export const BRIEF_MS = 600_000;
const BRIEFLY = { journalRetention: BRIEF_MS };
/** A value of this length does not fit in the lock. */
const BESIDE_LETTERS = 700;

const FLOW = { name: "Flow" } as const;
const FAR = { name: "Far" } as const;

export const far = restate.object({
  name: "Far",
  handlers: {
    push: async (ctx: ObjectContext, name: string) => {
      const token = await step(ctx, "pushed");
      ctx.set("log", [...((await ctx.get<string[]>("log")) ?? []), name]);
      return token;
    },
  },
});

export const pen = restate.object({
  name: "Pen",
  handlers: {
    /** Its last segment changes values beside the lock, so that in every store the give-back is a separate write. */
    write: handlers.object.exclusive(BRIEFLY, async (ctx: ObjectContext, name: string) => {
      const log = [...((await ctx.get<string[]>("log")) ?? []), name];
      const token = await step(ctx, "written");
      ctx.set("log", log);
      ctx.set("large", name.padEnd(BESIDE_LETTERS, "."));
      return token;
    }),
  },
});

export const desk = restate.service({
  name: "Desk",
  handlers: {
    /** Waits in its driver between its steps. */
    work: async (ctx: Context, ms: number) => {
      const tokens = [await step(ctx, "a")];
      for (const name of ["b", "c"]) {
        await ctx.sleep(ms);
        tokens.push(await step(ctx, name));
      }
      return tokens;
    },
    label: async (ctx: Context, input: unknown) => [await step(ctx, "r1"), input],
    brief: handlers.handler(BRIEFLY, async (ctx: Context) => [await step(ctx, "r1"), await step(ctx, "r2")]),
    asks: async (ctx: Context, key: string) => {
      const before = await step(ctx, "before");
      const found = await ctx.objectClient<typeof far>(FAR, key).push("asked");
      return [before, found, await step(ctx, "after")];
    },
    tells: async (ctx: Context, key: string) => {
      ctx.objectSendClient<typeof far>(FAR, key).push("told");
      return step(ctx, "sent");
    },
    /** Sends several signals of one name. */
    conductor: async (ctx: Context, notes: number) => {
      const id = await ctx.serviceSendClient(own).player(notes).invocationId;
      for (let note = 0; note < notes; note++) ctx.invocation(id).signal("note").resolve(note);
      return ctx.attach<number[]>(id);
    },
    player: async (ctx: Context, notes: number) => {
      const heard: number[] = [];
      while (heard.length < notes) heard.push(await ctx.signal<number>("note"));
      return heard;
    },
    /** Starts a workflow, lets another invocation complete its promise, and waits for its end. */
    submits: async (ctx: Context, key: string) => {
      const id = await ctx.workflowSendClient<typeof flow>(FLOW, key).run().invocationId;
      ctx.workflowSendClient<typeof flow>(FLOW, key).go("on");
      const found: unknown = await ctx.attach(id);
      return [found, await step(ctx, "after")];
    },
    /** Sends under an idempotency key, and waits for the result of what has the key. */
    sendsOnce: async (ctx: Context, ms: number) => {
      const sending = restate.rpc.sendOpts<number>({ idempotencyKey: "same" });
      const [one, other] = [1, 2].map(() => ctx.serviceSendClient(own).work(ms, sending).invocationId);
      return [await ctx.attach(await one!), await ctx.attach(await other!)];
    },
    /** Sends many, each of which counts. */
    spreads: async (ctx: Context, count: number) => {
      for (let at = 0; at < count; at++) ctx.serviceSendClient(own).label(at);
      return step(ctx, "sent");
    },
    confides: async (ctx: Context, { id, note }: { readonly id: string; readonly note: string }) => {
      ctx.invocation(restate.InvocationIdParser.fromString(id)).signal("note").resolve(note);
      return step(ctx, "told");
    },
    late: async (ctx: Context, id: string) => {
      ctx.invocation(restate.InvocationIdParser.fromString(id)).signal("note").resolve(1);
      return step(ctx, "told");
    },
  },
});

/** An explicit type, because handlers that call their neighbours have a circular inferred type. */
interface Desk {
  work(ctx: Context, ms: number): Promise<string[]>;
  label(ctx: Context, input: unknown): Promise<unknown>;
  player(ctx: Context, notes: number): Promise<number[]>;
}

const own: restate.ServiceDefinition<"Desk", Desk> = { name: "Desk" };
