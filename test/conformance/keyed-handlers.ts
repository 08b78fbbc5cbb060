/**
 * The objects and workflows of the test deployment, and a service that calls them. Each handler plays one pattern of commands
 * for the tests.
 */
import "../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk";
import type { InvocationId, ObjectContext, ObjectSharedContext, WorkflowContext } from "@restatedev/restate-sdk";
import { countAttempt, remember } from "./attempts.ts";

const { RestatePromise, TerminalError, handlers } = restate;
type Keyed = { request(): { readonly id: InvocationId } };

function counted<Ctx extends Keyed, Input, Output>(run: (ctx: Ctx, input: Input) => Promise<Output>) {
  return (ctx: Ctx, input: Input): Promise<Output> => {
    countAttempt(ctx.request().id);
    return run(ctx, input);
  };
}

/** The inputs of the handler `noted` on each key, one for each attempt, in order. */
const served = new Map<string, string[]>();

export function servedOf(key: string): readonly string[] {
  return served.get(key) ?? [];
}

type Readable = { read(ctx: ObjectSharedContext): Promise<number | null> };

const storeHandlers = {
  add: counted(async (ctx: ObjectContext, value: number) => {
    const sum = ((await ctx.get<number>("sum")) ?? 0) + value;
    ctx.set("sum", sum);
    return sum;
  }),
  put: counted(async (ctx: ObjectContext, values: Record<string, unknown>) => {
    for (const [key, value] of Object.entries(values)) ctx.set(key, value);
  }),
  clear: counted(async (ctx: ObjectContext, key: string) => ctx.clear(key)),
  clearAll: counted(async (ctx: ObjectContext) => ctx.clearAll()),
  keys: counted(async (ctx: ObjectContext) => [...(await ctx.stateKeys())].sort()),
  setThenFail: counted(async (ctx: ObjectContext, value: number): Promise<void> => {
    ctx.set("sum", value);
    throw new TerminalError("failed on purpose", { errorCode: 444 });
  }),
  setThenRun: counted(async (ctx: ObjectContext, value: number) => {
    ctx.set("sum", value);
    const step = await ctx.run("step", () => "ran");
    return `${step}, ${await ctx.get<number>("sum")}`;
  }),
  noted: counted(async (ctx: ObjectContext, value: string) => {
    served.set(ctx.key, [...servedOf(ctx.key), value]);
    await ctx.run("note", () => value);
    return value;
  }),
  ownShared: counted(async (ctx: ObjectContext, value: number): Promise<number | null> => {
    ctx.set("sum", value);
    return ctx.objectClient<Readable>({ name: "Store" }, ctx.key).read();
  }),
  waitFor: counted(async (ctx: ObjectContext, ms: number) => {
    await ctx.sleep(ms);
    return "waited";
  }),
  read: handlers.object.shared(counted(async (ctx: ObjectSharedContext) => (await ctx.get<number>("sum")) ?? null)),
  readKey: handlers.object.shared(counted(async (ctx: ObjectSharedContext) => ctx.key)),
};
type StoreObject = typeof storeHandlers;
export const store = restate.object({ name: "Store", handlers: storeHandlers });

export const lazyStore = restate.object({
  name: "LazyStore",
  handlers: {
    add: counted(async (ctx: ObjectContext, value: number) => {
      const sum = ((await ctx.get<number>("sum")) ?? 0) + value;
      ctx.set("sum", sum);
      return sum;
    }),
    keys: counted(async (ctx: ObjectContext) => ctx.stateKeys()),
  },
  options: { enableLazyState: true },
});

const flowHandlers = {
  run: counted(async (ctx: WorkflowContext, input: string) => {
    ctx.set("step", "waiting");
    const approved = await ctx.promise<string>("approval");
    ctx.set("step", "approved");
    return `${input} ${approved}`;
  }),
  approve: handlers.workflow.shared(
    counted(async (ctx: restate.WorkflowSharedContext, value: string) => {
      await ctx.promise<string>("approval").resolve(value);
      return "approved";
    }),
  ),
  refuse: handlers.workflow.shared(
    counted(async (ctx: restate.WorkflowSharedContext, why: string) => ctx.promise<string>("approval").reject(why)),
  ),
  peek: handlers.workflow.shared(
    counted(async (ctx: restate.WorkflowSharedContext) => (await ctx.promise<string>("approval").peek()) ?? null),
  ),
  wait: handlers.workflow.shared(
    counted(async (ctx: restate.WorkflowSharedContext) => ctx.promise<string>("approval").get()),
  ),
  step: handlers.workflow.shared(
    counted(async (ctx: restate.WorkflowSharedContext) => (await ctx.get<string>("step")) ?? null),
  ),
};
type Flow = { approve(ctx: restate.WorkflowSharedContext, value: string): Promise<string> };
type Quick = { run(ctx: WorkflowContext, value: number): Promise<number> };
export const flow = restate.workflow({ name: "Flow", handlers: flowHandlers });

export const quick = restate.workflow({
  name: "Quick",
  handlers: { run: counted(async (_ctx: WorkflowContext, value: number) => value * 2) },
});

export const keyedCaller = restate.service({
  name: "KeyedCaller",
  handlers: {
    addTwice: counted(async (ctx: restate.Context, key: string) => {
      const client = ctx.objectClient<StoreObject>({ name: "Store" }, key);
      return [await client.add(1), await client.add(10)];
    }),
    sendNoted: counted(async (ctx: restate.Context, { key, values }: { key: string; values: string[] }) => {
      const client = ctx.objectSendClient<StoreObject>({ name: "Store" }, key);
      for (const value of values) client.noted(value);
      return ctx.objectClient<StoreObject>({ name: "Store" }, key).noted("last");
    }),
    parallelAdds: counted(async (ctx: restate.Context, { key, count }: { key: string; count: number }) => {
      const client = ctx.objectClient<StoreObject>({ name: "Store" }, key);
      return RestatePromise.all(Array.from({ length: count }, () => client.add(1)));
    }),
    runTwice: counted(async (ctx: restate.Context, key: string) => {
      const client = ctx.workflowClient<Quick>({ name: "Quick" }, key);
      const first = await client.run(21);
      try {
        await client.run(1);
      } catch (error) {
        if (error instanceof TerminalError) return [first, error.code, error.message];
        throw error;
      }
      return [first];
    }),
    approve: counted(async (ctx: restate.Context, key: string) =>
      ctx.workflowClient<Flow>({ name: "Flow" }, key).approve("by a handler"),
    ),
    awaitSignals: counted(async (ctx: restate.Context, names: string[]) => {
      await ctx.run("published", () => remember(ctx.request().id, "waits"));
      const got: unknown[] = [];
      for (const name of names) got.push(await ctx.signal<string>(name));
      return got;
    }),
    signal: counted(async (ctx: restate.Context, { id, name, value }: { id: string; name: string; value: string }) => {
      ctx
        .invocation(id as InvocationId)
        .signal<string>(name)
        .resolve(value);
    }),
    resolve: counted(async (ctx: restate.Context, { id, value }: { id: string; value: string }) => {
      ctx.resolveAwakeable(id, value);
    }),
    compensated: counted(async (ctx: restate.Context, key: string) => {
      const client = ctx.objectClient<StoreObject>({ name: "Store" }, key);
      await client.add(1);
      try {
        await client.waitFor(3_600_000);
      } catch (error) {
        if (!(error instanceof TerminalError)) throw error;
        await client.add(-1);
        return `undone after ${error.code}`;
      }
      return "not reached";
    }),
  },
});

export const KEYED_SERVICES = [store, lazyStore, flow, quick, keyedCaller];
