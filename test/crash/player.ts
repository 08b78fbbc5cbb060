/** The handlers under fire: they play plans, and every closure of theirs leaves a line in the ledger. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import * as restate from "@restatedev/restate-sdk";
import type { Context, ServiceDefinition, ServiceHandler } from "@restatedev/restate-sdk";
import type { Line } from "./ledger.ts";
import { openLedger, readLedger } from "./ledger.ts";
import type { Done, Outcome, Recorded } from "./outcome.ts";
import type { Op, Plan } from "./plan.ts";

type Of<Kind extends Op["kind"]> = Extract<Op, { kind: Kind }>;

const RETRY_QUICKLY = { initialInterval: 50, maxInterval: 400, exponentiationFactor: 2 };
const RETRY_RUN_MS = 60;
/** Long enough for many kills to fall between an execution and its commit. */
const CLOSURE_MAX_MS = 60;

const PLAYER: ServiceDefinition<"Player", { play: ServiceHandler<(ctx: Context, plan: Plan) => Promise<Outcome>> }> = {
  name: "Player",
};
const COMPLETER: ServiceDefinition<
  "Completer",
  { complete: ServiceHandler<(ctx: Context, awakeableId: string) => Promise<Outcome>> }
> = { name: "Completer" };

/** From the start of the deployment's process to its end. */
export type Life = Pick<Line, "bootId" | "bootAtMs">;

/** One entry of a handler. */
class Attempt {
  readonly ctx: Context;
  readonly #ledgerPath: string;
  readonly #life: Life;
  readonly #attemptId = randomUUID();
  readonly #attemptAtMs = Date.now();

  constructor(ctx: Context, ledgerPath: string, life: Life) {
    this.ctx = ctx;
    this.#ledgerPath = ledgerPath;
    this.#life = life;
  }

  run(step: string, value?: string): restate.RestatePromise<Recorded & { value?: string }> {
    return this.ctx.run(step, async () => {
      await pause(Math.random() * CLOSURE_MAX_MS);
      const recorded = this.#enter(step, false);
      await pause(Math.random() * CLOSURE_MAX_MS);
      return value === undefined ? recorded : { ...recorded, value };
    });
  }

  /** The ledger counts: a life that was killed knows nothing of what it had counted. */
  runFailing(step: string, failures: number): Promise<Recorded> {
    const { id } = this.ctx.request();
    const closure = async (): Promise<Recorded> => {
      const thrown = readLedger(this.#ledgerPath).filter(
        (line) => line.invocationId === id && line.step === step && line.throws,
      );
      const recorded = this.#enter(step, thrown.length < failures);
      if (thrown.length < failures) throw new Error(`${step} fails on purpose, for the ${thrown.length + 1}. time`);
      await pause(Math.random() * CLOSURE_MAX_MS);
      return recorded;
    };
    return this.ctx.run(step, closure, {
      initialRetryInterval: RETRY_RUN_MS,
      maxRetryInterval: RETRY_RUN_MS,
      retryIntervalFactor: 1,
    });
  }

  #enter(step: string, throws: boolean): Recorded {
    const recorded: Recorded = { step, nonce: randomUUID(), atMs: Date.now() };
    const ledger = openLedger(this.#ledgerPath);
    const { id: invocationId } = this.ctx.request();
    const [attemptId, attemptAtMs] = [this.#attemptId, this.#attemptAtMs];
    ledger.append({ invocationId, ...recorded, ...this.#life, attemptId, attemptAtMs, throws });
    ledger.close();
    return recorded;
  }
}

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

/** The services of one life of the deployment. */
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
  return [player, completer];
}
