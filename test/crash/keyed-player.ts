/** The object and the workflow of the crash tests: a tally that counts each add once, and a promise with two completers. */
import * as restate from "@restatedev/restate-sdk";
import type { ObjectContext, WorkflowContext, WorkflowSharedContext } from "@restatedev/restate-sdk";
import { Attempt, type Life, RETRY_QUICKLY } from "./attempt.ts";
import type { Answered, Answering, Counted, Done, Outcome, Recorded } from "./outcome.ts";
import type { Op } from "./plan.ts";

type Of<Kind extends Op["kind"]> = Extract<Op, { kind: Kind }>;
type Read = Outcome & { readonly step: string | null };

interface Tally {
  add(ctx: ObjectContext, plan: null): Promise<Counted>;
}
interface Vote {
  run(ctx: WorkflowContext): Promise<Answered>;
  answer(ctx: WorkflowSharedContext): Promise<Answering>;
  read(ctx: WorkflowSharedContext): Promise<Read>;
}
const TALLY = { name: "Tally" } as restate.VirtualObjectDefinition<"Tally", Tally>;
const VOTE = { name: "Vote" } as restate.WorkflowDefinition<"Vote", Vote>;

export async function playAdds({ ctx }: Attempt, { key, sends }: Of<"adds">): Promise<Done> {
  const sent: string[] = [];
  for (let n = 0; n < sends; n++) sent.push(await ctx.objectSendClient(TALLY, key).add(null).invocationId);
  return { kind: "adds", sent, outcome: await ctx.objectClient(TALLY, key).add(null) };
}

export async function playWorkflow({ ctx }: Attempt, { name, delaysMs }: Of<"workflow">): Promise<Done> {
  const key = `${ctx.request().id}/${name}`;
  const answerers: string[] = [];
  for (const delay of delaysMs) {
    const sent = ctx.workflowSendClient(VOTE, key).answer(restate.rpc.sendOpts({ delay }));
    answerers.push(await sent.invocationId);
  }
  const outcome = await ctx.workflowClient(VOTE, key).run();
  return { kind: "workflow", outcome, answerers, read: await ctx.workflowClient(VOTE, key).read() };
}

const ran = (...recorded: readonly Recorded[]): Done[] => recorded.map((each) => ({ kind: "run", recorded: [each] }));

/** The services of one process of the deployment. */
export function keyedServices(ledgerPath: string, life: Life) {
  const tally = restate.object({
    ...TALLY,
    handlers: {
      /** Changes the state before and after the closure `leave`. The state grows until it is too large for the lock. */
      add: async (ctx: ObjectContext): Promise<Counted> => {
        const attempt = new Attempt(ctx, ledgerPath, life);
        const count = ((await ctx.get<number>("count")) ?? 0) + 1;
        const enter = await attempt.run("enter");
        ctx.set("count", count);
        const served = (await ctx.get<string[]>("served")) ?? [];
        const leave = await attempt.run("leave");
        const invocationId = ctx.request().id;
        ctx.set("served", [...served, invocationId]);
        return { invocationId, done: ran(enter, leave), key: ctx.key, count };
      },
    },
    options: { retryPolicy: RETRY_QUICKLY },
  });
  const vote = restate.workflow({
    ...VOTE,
    handlers: {
      run: async (ctx: WorkflowContext): Promise<Answered> => {
        const attempt = new Attempt(ctx, ledgerPath, life);
        ctx.set("step", "begun");
        const begin = await attempt.run("begin");
        const answer = await ctx.promise<string>("answer");
        ctx.set("step", answer);
        const end = await attempt.run("end");
        return { invocationId: ctx.request().id, done: ran(begin, end), answer };
      },
      answer: async (ctx: WorkflowSharedContext): Promise<Answering> => {
        const recorded = await new Attempt(ctx, ledgerPath, life).run("complete");
        const won = await resolved(ctx, recorded.nonce);
        return { invocationId: ctx.request().id, done: ran(recorded), won };
      },
      read: async (ctx: WorkflowSharedContext): Promise<Read> => ({
        invocationId: ctx.request().id,
        done: [],
        step: await ctx.get<string>("step"),
      }),
    },
    options: { retryPolicy: RETRY_QUICKLY },
  });
  return [tally, vote];
}

/** @returns false if the promise was completed already */
async function resolved(ctx: WorkflowSharedContext, answer: string): Promise<boolean> {
  try {
    await ctx.promise<string>("answer").resolve(answer);
    return true;
  } catch (error) {
    if (error instanceof restate.TerminalError && error.code === 409) return false;
    throw error;
  }
}
