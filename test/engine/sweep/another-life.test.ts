/**
 * An ended invocation has performed its effects on another invocation, which has been purged or has expired since. When the
 * sweeper looks at the ended invocation, it does not perform the effects again on the next life of the other invocation.
 */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { output } from "../../../shared/engine/ingress/attach.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { purge, purgeJournal } from "../../../shared/engine/operate/purge.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { sendOn, type Actor, type Stage, type StageSettings } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { keyed, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { completePromise, getPromise } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";
import { changedBy } from "../../harness/engine/planted.ts";

const open = stages();
const MINUTE_MS = 60_000;
const KEY = { idempotencyKey: "k" };

const handlers: Record<string, Handler> = {
  run: async (ctx) => `approved ${await ctx.get(getPromise(ctx, "approval"))}`,
  approve: (ctx) => (completePromise(ctx, "approval", "yes"), "done"),
  waits: async (ctx) => `heard ${await ctx.get(ctx.awakeable().result)}`,
  resolves: (ctx) => (ctx.resolveAwakeable(ctx.input, "it"), "done"),
  calls: (ctx) => ctx.get(ctx.call("waits", "", KEY)),
  callsSlow: (ctx) => ctx.get(ctx.call("slow", "", KEY)),
};

interface Play {
  readonly stage: Stage;
  readonly worker: Actor;
}

async function played(
  settings: Pick<StageSettings, "workflowRetentionMs" | "journalRetentionMs"> = {},
  slow: Handler = () => "done",
): Promise<Play> {
  const stage = await open({ ...handlers, slow }, { services: [workflowOf(["approve"])], ...settings });
  const worker = stage.actor();
  worker.startWorker();
  return { stage, worker };
}

/** Sweeps six minutes later, when all acceptances so far are old enough for a look. @returns what the sweeper wrote and sent */
async function swept({ stage }: Play): Promise<readonly unknown[]> {
  await stage.pulse.pass(6 * MINUTE_MS);
  const sweeper = stage.actor();
  await stage.pulse.within(1_000, sweepOnce(sweeper.engine));
  await stage.pulse.pass(1_000);
  return changedBy(sweeper);
}

async function standingOf({ stage, worker }: Play, id: InvocationId): Promise<string> {
  return (await stage.pulse.within(0, output(worker.engine, id))).kind;
}

function awakeableOf({ deployment }: Stage): string {
  return encodeAwakeableId(deployment.of("waits")[0]!.start.id, 17);
}

async function approved({ stage, worker }: Play): Promise<InvocationId> {
  const { invocationId } = await sendKeyed(worker, keyed("W", "w", "run"));
  await stage.pulse.pass(1_000);
  await sendKeyed(worker, keyed("W", "w", "approve"));
  await stage.pulse.pass(1_000);
  return invocationId;
}

test("a promise that was completed in a purged run is not completed for the next run", async () => {
  const play = await played();
  const { stage, worker } = play;
  const first = await approved(play);
  expect(await standingOf(play, first)).toBe("ended");
  expect(await purge(worker.engine, first)).toBe("done");
  await swept(play);
  const { invocationId } = await sendKeyed(worker, keyed("W", "w", "run"));
  await stage.pulse.pass(1_000);
  expect(await standingOf(play, invocationId)).toBe("open");
});

test("a promise that was completed in an expired run is not completed for the next run", async () => {
  const play = await played({ workflowRetentionMs: MINUTE_MS });
  const { stage, worker } = play;
  expect(await standingOf(play, await approved(play))).toBe("ended");
  await swept(play);
  const { invocationId } = await sendKeyed(worker, keyed("W", "w", "run"));
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("run")).toHaveLength(3);
  expect(await standingOf(play, invocationId)).toBe("open");
});

test("the value of an awakeable does not reach the next life of its target", async () => {
  const play = await played();
  const { stage, worker } = play;
  const first = await sendOn(worker, "waits", "", KEY);
  await stage.pulse.pass(1_000);
  await sendOn(worker, "resolves", awakeableOf(stage));
  await stage.pulse.pass(1_000);
  expect(await purge(worker.engine, first.invocationId)).toBe("done");
  const second = await sendOn(worker, "waits", "", KEY);
  await swept(play);
  expect(await standingOf(play, second.invocationId)).toBe("open");
});

test("if a child was killed with its caller and then purged, a new invocation under the key of the child is not killed", async () => {
  const gate = new Gate();
  const play = await played({}, () => gate.passed.then(() => "done"));
  const { stage, worker } = play;
  // Neither invocation was ever parked, so no item shows whether the effects of the caller's end were performed.
  const caller = await sendOn(worker, "callsSlow");
  await stage.pulse.pass(1_000);
  expect(await kill(worker.engine, caller.invocationId)).toBe("done");
  await stage.pulse.pass(1_000);
  const id = stage.deployment.of("slow")[0]!.start.debugId as InvocationId;
  expect(await purge(worker.engine, id)).toBe("done");
  expect((await sendOn(worker, "slow", "", KEY)).invocationId).toBe(id);
  await swept(play);
  expect(await standingOf(play, id)).toBe("open");
  gate.open();
  await stage.pulse.pass(1_000);
  expect(await standingOf(play, id)).toBe("ended");
});

test.each([
  ["purged", purge],
  ["stripped of its journal", purgeJournal],
])("a value is not delivered again to a target that has been %s since", async (_, forget) => {
  const play = await played();
  const { stage, worker } = play;
  const caller = await sendOn(worker, "calls");
  await stage.pulse.pass(1_000);
  await sendOn(worker, "resolves", awakeableOf(stage));
  await stage.pulse.pass(1_000);
  expect(await standingOf(play, caller.invocationId)).toBe("ended");
  await stage.pulse.pass(10 * MINUTE_MS);
  const id = stage.deployment.of("waits")[0]!.start.debugId as InvocationId;
  expect(await forget(worker.engine, id)).toBe("done");
  expect(await swept(play)).toEqual([]);
});

test("when the journal of an ended invocation is dropped, its effects do not reach the next life of a target that has been purged", async () => {
  const play = await played({ journalRetentionMs: 60 * MINUTE_MS });
  const { stage, worker } = play;
  const first = await approved(play);
  await swept(play);
  expect(await purge(worker.engine, first)).toBe("done");
  await stage.pulse.pass(60 * MINUTE_MS);
  await swept(play);
  const { invocationId } = await sendKeyed(worker, keyed("W", "w", "run"));
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("run")).toHaveLength(3);
  expect(await standingOf(play, invocationId)).toBe("open");
});
