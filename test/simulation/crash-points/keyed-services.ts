/** The object and the workflow of the scenarios: their state under a key shows which invocations ran, and in which order. */
import * as restate from "@restatedev/restate-sdk/lambda";
import type {
  ObjectContext,
  ObjectSharedContext,
  WorkflowContext,
  WorkflowSharedContext,
} from "@restatedev/restate-sdk/lambda";
import { retrying, step } from "./step.ts";

const { handlers } = restate;

/** A value of `ALONE_LETTERS` does not fit in the lock; several values of `TOGETHER_LETTERS` do not fit in the lock together. */
const ALONE_LETTERS = 700;
const TOGETHER_LETTERS = 200;

const TOP_MS = 20_000;

export interface Slow {
  readonly name: string;
  readonly ms: number;
}

async function note(ctx: ObjectContext, name: string): Promise<void> {
  ctx.set("log", [...((await ctx.get<string[]>("log")) ?? []), name]);
}

export const box = restate.object({
  name: "Box",
  handlers: {
    push: async (ctx: ObjectContext, name: string) => {
      const token = await step(ctx, "pushed");
      await note(ctx, name);
      return token;
    },
    /** While this handler sleeps, shared handlers see its first change. */
    slow: async (ctx: ObjectContext, { name, ms }: Slow) => {
      await note(ctx, `${name} begins`);
      const before = await step(ctx, "before");
      await ctx.sleep(ms);
      const after = await step(ctx, "after");
      await note(ctx, `${name} ends`);
      return [before, after];
    },
    /** Sleeps at the end: if a fault delays the write of an earlier step, the write still comes before the end of the handler. */
    climb: async (ctx: ObjectContext, name: string) => {
      await note(ctx, `${name} one`);
      const one = await step(ctx, "one");
      await note(ctx, `${name} two`);
      const two = await step(ctx, "two");
      await ctx.sleep(TOP_MS);
      return [one, two];
    },
    tumble: handlers.object.exclusive(retrying(300), async (ctx: ObjectContext, name: string) => {
      await note(ctx, name);
      return step(ctx, "stumble");
    }),
    /** Some values are beside the lock from the beginning; other values move there when there are too many of them. */
    grow: async (ctx: ObjectContext, name: string) => {
      await note(ctx, name);
      ctx.set("large", name.padEnd(ALONE_LETTERS, "."));
      const token = await step(ctx, "grown");
      for (const key of ["v", "w", "x", "y"]) ctx.set(key, `${name}${key}`.padEnd(TOGETHER_LETTERS, "."));
      return token;
    },
    trim: async (ctx: ObjectContext, name: string) => {
      ctx.clear("large");
      const token = await step(ctx, "trimmed");
      ctx.clear("v");
      ctx.set("w", name);
      await note(ctx, name);
      return token;
    },
    wipe: async (ctx: ObjectContext, name: string) => {
      ctx.clearAll();
      const token = await step(ctx, "wiped");
      ctx.set("large", name.padEnd(ALONE_LETTERS, "."));
      return token;
    },
    look: handlers.object.shared(async (ctx: ObjectSharedContext) => (await ctx.get<string[]>("log")) ?? []),
  },
});

export const flow = restate.workflow({
  name: "Flow",
  handlers: {
    run: async (ctx: WorkflowContext) => {
      ctx.set("phase", "waits");
      const before = await step(ctx, "before");
      const word = await ctx.promise<string>("go");
      ctx.set("phase", word);
      return [before, word];
    },
    go: async (ctx: WorkflowSharedContext, word: string) => {
      const token = await step(ctx, "going");
      await ctx.promise<string>("go").resolve(word);
      return token;
    },
  },
});
