/** Mistakes in the moments of receipt: each entry has the moment at which it came, for whoever reads it, whenever it was stored. */
import { vi } from "vitest";
import type { Entry } from "../../../shared/core/invocation/entry.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import type * as Receipts from "../../../shared/engine/store/receipts.ts";
import { sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";
import { ruleTests } from "./rule-tests.ts";

const planted = vi.hoisted(() => ({ now: "" }));
const FLUSHED = "a receipt that is taken when the segment is written";
const OF_THE_NEXT = "a receipt of the entry that came next";
const READ_ANEW = "a receipt that a reader takes from the segment";
const LATER = "a receipt that a later attempt moves";

vi.mock("../../../shared/engine/store/receipts.ts", async (original) => {
  const right = await original<typeof Receipts>();
  const { acting } = await import("../acts.ts");
  let segments = 0;
  const wrong = (entries: readonly Entry[], writtenAtMs: number): readonly Entry[] => {
    if (planted.now === FLUSHED) return entries.map((one) => ({ ...one, receivedAtMs: acting(writtenAtMs) }));
    if (planted.now === LATER && ++segments > 1)
      return entries.map((one) => ({ ...one, receivedAtMs: acting((one.receivedAtMs ?? 0) + LATER_BY_MS) }));
    if (planted.now !== OF_THE_NEXT) return entries;
    return entries.map((one, at) => ({ ...one, ...receiptOf(acting(entries[at + 1] ?? one)) }));
  };
  const receiptsToStored: typeof right.receiptsToStored = (entries, writtenAtMs) =>
    right.receiptsToStored(wrong(entries, writtenAtMs), writtenAtMs);
  function* receiptsFromStored(stored: readonly number[], writtenAtMs: number): Generator<number, undefined> {
    if (planted.now !== READ_ANEW) return yield* right.receiptsFromStored(stored, writtenAtMs);
    for (;;) yield acting(writtenAtMs);
  }
  return { ...right, receiptsToStored, receiptsFromStored };
});

const receiptOf = ({ receivedAtMs }: Entry) => (receivedAtMs === undefined ? {} : { receivedAtMs });
const open = stages();
const LATER_BY_MS = 40;
const FIRST_MS = 300;
const SECOND_MS = 150;

/** Two steps on an open exchange. The first attempt fails after the first step, so that another one replays it. */
async function complaints(): Promise<readonly string[]> {
  const gates = { first: new Gate(), second: new Gate() };
  let attempts = 0;
  const steps = async (ctx: Parameters<Parameters<typeof open>[0][string]>[0]): Promise<string> => {
    await ctx.get(ctx.run("first", () => gates.first.passed.then(() => "1")));
    if (++attempts === 1) throw new Error("once");
    await ctx.get(ctx.run("second", () => gates.second.passed.then(() => "2")));
    return "done";
  };
  const stage = await open({ steps }, { opensExchanges: true, openWaitMs: 60_000 });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await sendOn(actor, "steps");
  await stage.pulse.settle();
  const beganMs = actor.engine.clock.nowMs();
  await stage.pulse.pass(FIRST_MS);
  gates.first.open();
  await stage.pulse.pass(1_000);
  const againMs = actor.engine.clock.nowMs() - beganMs;
  await stage.pulse.pass(SECOND_MS);
  gates.second.open();
  await stage.pulse.pass(1_000);
  const wrong: string[] = [];
  for (const reader of [actor, stage.actor()]) {
    const { entries } = (await inspect(reader.engine, id))!;
    const moments = entries.slice(1).map(({ atMs }) => atMs - beganMs);
    const [command, result, next, nextResult] = moments;
    if (command !== 0 || result !== FIRST_MS) wrong.push(`the first step came at ${command} and ${result} ms`);
    if (next === undefined || next < FIRST_MS || next > againMs) wrong.push(`the second step began at ${next} ms`);
    if (nextResult !== againMs + SECOND_MS) wrong.push(`the second step ended at ${nextResult} ms`);
  }
  return wrong;
}

ruleTests(import.meta.filename, planted, [FLUSHED, OF_THE_NEXT, READ_ANEW, LATER], complaints);
