/** The services without keys of the test deployment: one handler for each shape of a conversation with the server. */
import "../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk";
import type { Context, InvocationId } from "@restatedev/restate-sdk";
import { attemptsOf, countAttempt, countExecution, executionsOf, remember } from "./attempts.ts";

const { RestatePromise, TerminalError, handlers, serde } = restate;
const QUICK_RETRIES = { initialInterval: 20, maxInterval: 20, maxAttempts: 10, onMaxAttempts: "kill" } as const;
const BYTES = { input: serde.binary, output: serde.binary };

/** Counts each attempt before the handler runs. */
function counted<Input, Output>(run: (ctx: Context, input: Input) => Promise<Output>) {
  return (ctx: Context, input: Input): Promise<Output> => {
    countAttempt(ctx.request().id);
    return run(ctx, input);
  };
}

function countedRun<T>(ctx: Context, name: string, value: T): restate.RestatePromise<T> {
  return ctx.run(name, () => {
    countExecution(ctx.request().id);
    return value;
  });
}

const indices = (count: number) => Array.from({ length: count }, (_, index) => index);

export const callee = restate.service({
  name: "Callee",
  handlers: {
    double: counted(async (_ctx, value: number) => value * 2),
    sleepFor: counted(async (ctx, ms: number) => {
      await ctx.sleep(ms);
      return "slept";
    }),
  },
});

export const values = restate.service({
  name: "Values",
  handlers: {
    json: counted(async (_ctx, value: unknown) => value),
    nothing: counted(async () => {}),
    bytes: handlers.handler(
      BYTES,
      counted(async (_ctx, value: Uint8Array) => value),
    ),
    throughRun: handlers.handler(
      BYTES,
      counted(async (ctx, value: Uint8Array) => ctx.run("bytes", () => value, { serde: serde.binary })),
    ),
    header: counted(async (ctx, name: string) => ctx.request().headers.get(name) ?? null),
    headerNames: counted(async (ctx) => [...ctx.request().headers.keys()]),
  },
});

export const runs = restate.service({
  name: "Runs",
  handlers: {
    sequential: counted(async (ctx, count: number) => {
      let sum = 0;
      for (const index of indices(count)) sum += await countedRun(ctx, `run ${index}`, index);
      return sum;
    }),
    parallel: counted(async (ctx, count: number) =>
      RestatePromise.all(indices(count).map((index) => countedRun(ctx, `run ${index}`, index))),
    ),
    race: counted(async (ctx) =>
      RestatePromise.race([countedRun(ctx, "same", "done"), countedRun(ctx, "same", "done")]),
    ),
    neverAwaited: counted(async (ctx) => {
      void countedRun(ctx, "never awaited", 1);
      return "left";
    }),
    thenSleep: counted(async (ctx, ms: number) => {
      const value = await countedRun(ctx, "before", "run");
      await ctx.sleep(ms);
      return `${value}, slept`;
    }),
    thenCall: counted(async (ctx, value: number) => {
      const first = await countedRun(ctx, "before", value);
      return ctx.serviceClient(callee).double(first);
    }),
    failing: counted(async (ctx, maxRetryAttempts: number) => {
      const { id } = ctx.request();
      const fail = () => {
        throw new Error(`execution ${countExecution(id)} failed`);
      };
      try {
        await ctx.run("failing", fail, { maxRetryAttempts, initialRetryInterval: 20, maxRetryInterval: 20 });
      } catch (error) {
        if (error instanceof TerminalError) return `given up after ${executionsOf(id)}: ${error.message}`;
        throw error;
      }
      return "not reached";
    }),
    terminal: counted(async (ctx) => {
      try {
        await ctx.run("terminal", () => {
          throw new TerminalError("no", { errorCode: 444 });
        });
      } catch (error) {
        if (error instanceof TerminalError) return error.code;
        throw error;
      }
      return "not reached";
    }),
  },
});

export const calls = restate.service({
  name: "Calls",
  handlers: {
    one: counted(async (ctx, value: number) => ctx.serviceClient(callee).double(value)),
    idFirst: counted(async (ctx, value: number) => {
      const call = ctx.serviceClient(callee).double(value);
      remember(ctx.request().id, await call.invocationId);
      return call;
    }),
    sequential: counted(async (ctx, count: number) => {
      let value = 1;
      for (const _ of indices(count)) value = await ctx.serviceClient(callee).double(value);
      return value;
    }),
    parallel: counted(async (ctx, count: number) =>
      RestatePromise.all(indices(count).map((index) => ctx.serviceClient(callee).double(index))),
    ),
    sends: counted(async (ctx, delaysMs: number[]) => {
      for (const delay of delaysMs) ctx.serviceSendClient(callee).double(1, restate.rpc.sendOpts({ delay }));
      return delaysMs.length;
    }),
    sendId: counted(async (ctx) => ctx.serviceSendClient(callee).double(21).invocationId),
    attach: counted(async (ctx, id: string) => ctx.attach<string>(id as InvocationId)),
    cancel: counted(async (ctx, id: string) => {
      ctx.cancel(id as InvocationId);
    }),
  },
});

export const waits = restate.service({
  name: "Waits",
  handlers: {
    noDurableOperation: counted(async () => "done"),
    sleep: counted(async (ctx, ms: number) => {
      await ctx.sleep(ms);
      return "slept";
    }),
    awakeable: counted(async (ctx) => {
      const { id, promise } = ctx.awakeable<string>();
      await ctx.run("publish", () => remember(ctx.request().id, id));
      return promise;
    }),
    timeout: counted(async (ctx, ms: number) => {
      try {
        return await ctx.awakeable<string>().promise.orTimeout(ms);
      } catch (error) {
        if (error instanceof restate.TimeoutError) return "timed out";
        throw error;
      }
    }),
    random: counted(async (ctx) => {
      const before = ctx.rand.uuidv4();
      remember(ctx.request().id, before);
      await countedRun(ctx, "between", 1);
      return [before, ctx.rand.uuidv4()];
    }),
    untilItWorks: handlers.handler(
      { retryPolicy: QUICK_RETRIES },
      counted(async (ctx, failures: number) => {
        const attempt = attemptsOf(ctx.request().id);
        if (attempt <= failures) throw new Error(`attempt ${attempt} fails on purpose`);
        return "works";
      }),
    ),
    terminal: counted(async (_ctx, metadata: Record<string, string> | null): Promise<string> => {
      throw new TerminalError("custom boom", { errorCode: 418, ...(metadata === null ? {} : { metadata }) });
    }),
  },
});

export const SERVICES = [callee, values, runs, calls, waits];
