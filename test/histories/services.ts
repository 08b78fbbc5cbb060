/** The shared things as handlers over the real SDK: three objects, a workflow with a promise, and a service that is started once. */
import * as restate from "@restatedev/restate-sdk";
import type { Context, ObjectContext, ObjectSharedContext, WorkflowSharedContext } from "@restatedev/restate-sdk";
import type { Kind } from "./things.ts";

/** The input of each handler: the value of the operation, and how long the handler sleeps in the middle of its work. */
export interface Given {
  readonly given: unknown;
  readonly pauseMs: number;
}

export const SERVICE_OF: Readonly<Record<Kind, string>> = {
  counter: "HistoryCounter",
  register: "HistoryRegister",
  list: "HistoryList",
  promise: "HistoryPromise",
  start: "HistoryStart",
};
const VALUE = "value";
const RETRY_QUICKLY = { initialInterval: 50, maxInterval: 400, exponentiationFactor: 2 };
const options = { retryPolicy: RETRY_QUICKLY };

const { shared } = restate.handlers.object;
const readValue = shared(async (ctx: ObjectSharedContext) => await ctx.get<unknown>(VALUE));

/** Reads the value, pauses, and writes what `change` makes of it: two calls at once would lose a change. */
async function changed<T, Answer>(
  ctx: ObjectContext,
  pauseMs: number,
  change: (value: T | null) => { readonly value: T; readonly answer: Answer },
): Promise<Answer> {
  const { value, answer } = change(await ctx.get<T>(VALUE));
  await paused(ctx, pauseMs);
  ctx.set(VALUE, value);
  return answer;
}

async function paused(ctx: Context, pauseMs: number): Promise<void> {
  if (pauseMs > 0) await ctx.sleep(pauseMs);
}

const counter = restate.object({
  name: SERVICE_OF.counter,
  handlers: {
    read: shared(async (ctx: ObjectSharedContext) => (await ctx.get<number>(VALUE)) ?? 0),
    add: (ctx: ObjectContext, { given, pauseMs }: Given) =>
      changed<number, number>(ctx, pauseMs, (sum) => {
        const after = (sum ?? 0) + (given as number);
        return { value: after, answer: after };
      }),
  },
  options,
});

const register = restate.object({
  name: SERVICE_OF.register,
  handlers: {
    read: readValue,
    write: (ctx: ObjectContext, { given, pauseMs }: Given) =>
      changed<unknown, null>(ctx, pauseMs, () => ({ value: given, answer: null })),
    swap: (ctx: ObjectContext, { given, pauseMs }: Given) => {
      const { expected, to } = given as { expected: number | null; to: number };
      return changed<number | null, boolean>(ctx, pauseMs, (value) => {
        const wins = value === expected;
        return { value: wins ? to : value, answer: wins };
      });
    },
  },
  options,
});

const list = restate.object({
  name: SERVICE_OF.list,
  handlers: {
    read: shared(async (ctx: ObjectSharedContext) => (await ctx.get<unknown[]>(VALUE)) ?? []),
    append: (ctx: ObjectContext, { given, pauseMs }: Given) =>
      changed<readonly unknown[], number>(ctx, pauseMs, (elements) => {
        const value = [...(elements ?? []), given];
        return { value, answer: value.length };
      }),
  },
  options,
});

const promise = restate.workflow({
  name: SERVICE_OF.promise,
  handlers: {
    run: async (ctx: restate.WorkflowContext) => await ctx.promise<number>(VALUE),
    result: async (ctx: WorkflowSharedContext) => await ctx.promise<number>(VALUE),
    peek: async (ctx: WorkflowSharedContext) => (await ctx.promise<number>(VALUE).peek()) ?? null,
    resolve: async (ctx: WorkflowSharedContext, { given, pauseMs }: Given) => {
      await paused(ctx, pauseMs);
      try {
        await ctx.promise<number>(VALUE).resolve(given as number);
        return true;
      } catch (error) {
        if (error instanceof restate.TerminalError && error.code === 409) return false;
        throw error;
      }
    },
  },
  options,
});

const start = restate.service({
  name: SERVICE_OF.start,
  handlers: {
    start: async (ctx: Context, { given, pauseMs }: Given) => {
      await paused(ctx, pauseMs);
      return given;
    },
  },
  options,
});

export const historyServices = [counter, register, list, promise, start];
