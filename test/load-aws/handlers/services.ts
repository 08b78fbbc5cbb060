/** The handlers under load. Every deployment has the same ones, but another prefix in the names of their services. */
import {
  handlers,
  object,
  RestatePromise,
  rpc,
  service,
  TerminalError,
  workflow,
  type Context,
  type ObjectContext,
  type ObjectSharedContext,
  type WorkflowContext,
  type WorkflowSharedContext,
} from "@restatedev/restate-sdk/lambda";
import type { Recorded } from "../../crash/outcome.ts";
import { Attempt } from "./attempt.ts";
import type { Added, HandlerResult } from "./results.ts";

const RETRY_QUICKLY = { initialInterval: 50, maxInterval: 1_000, exponentiationFactor: 2 };
const options = { retryPolicy: RETRY_QUICKLY };

/**
 * @param prefix the beginning of the names of the services
 * @param ledgerPath the file of the ledger, into which each closure that runs writes a line
 */
export function loadServices(prefix: string, ledgerPath: string) {
  const begin = (ctx: Context): Attempt => new Attempt(ctx, ledgerPath);
  const steps = async (attempt: Attempt, count: number): Promise<Recorded[]> => {
    const recorded: Recorded[] = [];
    for (let step = 1; step <= count; step++) recorded.push(await attempt.run(`step ${step}`));
    return recorded;
  };
  const work = service({
    name: `${prefix}Work`,
    handlers: {
      plain: async (_ctx: Context, text: string) => `said ${text}`,
      dies: async (_ctx: Context, text: string) => {
        throw new TerminalError(`dies of ${text}`, { errorCode: 422 });
      },
      steps: async (ctx: Context, count: number): Promise<HandlerResult> => {
        const attempt = begin(ctx);
        return { invocationId: attempt.invocationId, recorded: await steps(attempt, count) };
      },
      together: async (ctx: Context, count: number): Promise<HandlerResult> => {
        const attempt = begin(ctx);
        const all = Array.from({ length: count }, (_, at) => attempt.run(`beside ${at}`));
        return { invocationId: attempt.invocationId, recorded: await RestatePromise.all(all) };
      },
      /** Half of the attempts fail at the beginning, half of the others at the end. One step fails in half of its executions. */
      flaky: async (ctx: Context): Promise<HandlerResult> => {
        const attempt = begin(ctx);
        failNowAndThen("at its beginning");
        const recorded = [...(await steps(attempt, 1)), await attempt.runFlaky("flaky")];
        failNowAndThen("at its end");
        return { invocationId: attempt.invocationId, recorded };
      },
      nap: async (ctx: Context, askedMs: number): Promise<HandlerResult> => {
        const attempt = begin(ctx);
        const before = await attempt.run("before");
        await ctx.sleep(askedMs);
        const after = await attempt.run("after");
        const slept = { askedMs, fromMs: before.atMs, toMs: after.atMs };
        return { invocationId: attempt.invocationId, recorded: [before, after], slept };
      },
      fanOut: async (
        ctx: Context,
        { calls, key }: { readonly calls: number; readonly key: string },
      ): Promise<HandlerResult> => {
        const attempt = begin(ctx);
        const first = await attempt.run("first");
        const later = ctx.serviceSendClient(work).steps(1, rpc.sendOpts({ delay: 1_500 }));
        const added = ctx.objectSendClient(tally, key).add(1);
        const asked = Array.from({ length: calls }, () => ctx.serviceClient(work).steps(1));
        const children = await RestatePromise.all(asked);
        const recorded = [first, await attempt.run("last")];
        const sent = [await later.invocationId, await added.invocationId];
        return { invocationId: attempt.invocationId, recorded, children, sent };
      },
      awaits: async (ctx: Context): Promise<HandlerResult> => {
        const attempt = begin(ctx);
        const { id, promise } = ctx.awakeable<string>();
        const recorded = [await attempt.run("publish", id)];
        const value = await promise;
        recorded.push(await attempt.run("heard"));
        return { invocationId: attempt.invocationId, recorded, value };
      },
      /** Sleeps until it is cancelled, and compensates. */
      waits: async (ctx: Context): Promise<HandlerResult> => {
        const attempt = begin(ctx);
        const recorded = [await attempt.run("done")];
        try {
          await ctx.sleep({ hours: 1 });
        } catch (error) {
          if (!(error instanceof TerminalError)) throw error;
          recorded.push(await attempt.run("undone"));
          return { invocationId: attempt.invocationId, recorded, value: "cancelled" };
        }
        return { invocationId: attempt.invocationId, recorded, value: "slept" };
      },
      /** Calls itself to this depth, and the last call sleeps; a kill ends the whole chain. */
      hangs: async (ctx: Context, depth: number): Promise<void> => {
        if (depth > 0) await ctx.serviceClient(work).hangs(depth - 1);
        else await ctx.sleep({ hours: 1 });
      },
    },
    options,
  });
  const tally = object({
    name: `${prefix}Tally`,
    handlers: {
      add: async (ctx: ObjectContext, amount: number): Promise<Added> => {
        const attempt = begin(ctx);
        const before = (await ctx.get<number>("sum")) ?? 0;
        const enter = await attempt.run("enter");
        ctx.set("sum", before + amount);
        const leave = await attempt.run("leave");
        const { invocationId } = attempt;
        return { invocationId, recorded: [enter, leave], key: ctx.key, before, after: before + amount };
      },
      sum: handlers.object.shared(async (ctx: ObjectSharedContext) => (await ctx.get<number>("sum")) ?? 0),
    },
    options,
  });
  return [work, tally, vote(`${prefix}Vote`, begin)];
}

function vote(name: string, begin: (ctx: Context) => Attempt) {
  return workflow({
    name,
    handlers: {
      run: async (ctx: WorkflowContext): Promise<HandlerResult> => {
        const attempt = begin(ctx);
        const recorded = [await attempt.run("begin")];
        const value = await ctx.promise<string>("verdict");
        ctx.set("verdict", value);
        recorded.push(await attempt.run("end"));
        return { invocationId: attempt.invocationId, recorded, value };
      },
      /** Fails with 409 if the promise was completed already. */
      decide: async (ctx: WorkflowSharedContext, verdict: string) => {
        await ctx.promise<string>("verdict").resolve(verdict);
        return verdict;
      },
      verdict: handlers.workflow.shared(async (ctx: WorkflowSharedContext) => await ctx.get<string>("verdict")),
    },
    options,
  });
}

function failNowAndThen(where: string): void {
  if (Math.random() < 0.5) throw new Error(`fails ${where}, on purpose`);
}
