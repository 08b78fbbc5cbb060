/** The handlers of the crash tests: they execute plans, and each of their closures writes a line into the ledger. */
import * as restate from "@restatedev/restate-sdk";
import type { Context, ServiceDefinition, ServiceHandler } from "@restatedev/restate-sdk";
import { Attempt, type Life, RETRY_QUICKLY } from "./attempt.ts";
import { keyedServices, playAdds, playWorkflow } from "./keyed-player.ts";
import type { Done, Outcome } from "./outcome.ts";
import type { Op, Plan } from "./plan.ts";

type Of<Kind extends Op["kind"]> = Extract<Op, { kind: Kind }>;

const PLAYER: ServiceDefinition<"Player", { play: ServiceHandler<(ctx: Context, plan: Plan) => Promise<Outcome>> }> = {
  name: "Player",
};
const COMPLETER: ServiceDefinition<
  "Completer",
  { complete: ServiceHandler<(ctx: Context, awakeableId: string) => Promise<Outcome>> }
> = { name: "Completer" };

async function playOp(attempt: Attempt, op: Op): Promise<Done> {
  const { ctx } = attempt;
  switch (op.kind) {
    case "run":
      return { kind: op.kind, recorded: [await attempt.run(op.step)] };
    case "failing-run":
      return { kind: op.kind, recorded: [await attempt.runFailing(op.step, op.failures)] };
    case "parallel":
      return { kind: op.kind, recorded: await restate.RestatePromise.all(op.steps.map((step) => attempt.run(step))) };
    case "sleep":
      return await playSleep(attempt, op);
    case "call":
      return { kind: op.kind, outcome: await ctx.serviceClient(PLAYER).play(op.plan) };
    case "send": {
      const sent = ctx.serviceSendClient(PLAYER).play(op.plan, restate.rpc.sendOpts({ delay: op.delayMs }));
      return { kind: op.kind, invocationId: await sent.invocationId };
    }
    case "awakeable":
      return await playAwakeable(attempt, op);
    case "together": {
      const call = ctx.serviceClient(PLAYER).play(op.plan);
      const [outcome, , recorded] = await restate.RestatePromise.all([call, ctx.sleep(op.ms), attempt.run(op.step)]);
      return { kind: op.kind, outcome, recorded };
    }
    case "adds":
      return await playAdds(attempt, op);
    case "workflow":
      return await playWorkflow(attempt, op);
  }
}

async function playSleep(attempt: Attempt, op: Of<"sleep">): Promise<Done> {
  const drawn = attempt.ctx.rand.uuidv4();
  const { value, ...before } = await attempt.run(op.before, drawn);
  await attempt.ctx.sleep(op.ms);
  const after = await attempt.run(op.after);
  return { kind: op.kind, before, after, uuids: [value!, drawn] };
}

async function playAwakeable(attempt: Attempt, op: Of<"awakeable">): Promise<Done> {
  const { ctx } = attempt;
  const { id, promise } = ctx.awakeable<string>();
  const recorded = await attempt.run(op.publish);
  const sent = ctx.serviceSendClient(COMPLETER).complete(id, restate.rpc.sendOpts({ delay: op.delayMs }));
  const completer = await sent.invocationId;
  return { kind: op.kind, recorded, completer, nonce: await promise };
}

/** The services of one process of the deployment. */
export function playerServices(ledgerPath: string, life: Life) {
  const player = restate.service({
    ...PLAYER,
    handlers: {
      play: async (ctx: Context, plan: Plan): Promise<Outcome> => {
        const attempt = new Attempt(ctx, ledgerPath, life);
        const done: Done[] = [];
        for (const op of plan.ops) done.push(await playOp(attempt, op));
        return { invocationId: ctx.request().id, done };
      },
    },
    options: { retryPolicy: RETRY_QUICKLY },
  });
  const completer = restate.service({
    ...COMPLETER,
    handlers: {
      complete: async (ctx: Context, awakeableId: string): Promise<Outcome> => {
        const recorded = await new Attempt(ctx, ledgerPath, life).run("complete");
        ctx.resolveAwakeable(awakeableId, recorded.nonce);
        return { invocationId: ctx.request().id, done: [{ kind: "run", recorded: [recorded] }] };
      },
    },
    options: { retryPolicy: RETRY_QUICKLY },
  });
  return [player, completer, ...keyedServices(ledgerPath, life)];
}
