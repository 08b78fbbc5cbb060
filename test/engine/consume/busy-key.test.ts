/** Messages on a busy key: a message for a completed invocation is acked, and is not passed from holder to holder (ADR 0011). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { sendWake } from "../../../shared/engine/messaging/wake.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { type Actor, LEASE_MS } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const PERIOD_MS = 10_000;

const countOf = (actors: readonly Actor[], port: string, methods: readonly string[]): number => {
  const matches = actors.map(({ process }) => process.methods(port).filter((method) => methods.includes(method)));
  return matches.flat().length;
};

/** @returns the numbers of sends and reads in each period: one period before the stray messages, and three after them */
async function periods(workers: number, workMs: number, strays: number): Promise<(readonly [number, number])[]> {
  const work = async (): Promise<string> => (await stage.pulse.sleep(workMs), "done");
  const stage = await open({ work }, { services: [objectOf(["work"])] });
  const ingress = stage.actor();
  const actors = [ingress];
  for (let count = 0; count < workers; count++) {
    const actor = stage.actor();
    void runWorker(actor.engine, new AbortController().signal, { concurrencyMax: 1 });
    actors.push(actor);
  }
  const ids: InvocationId[] = [];
  const sendOne = async () =>
    ids.push((await stage.pulse.within(1_000, sendKeyed(ingress, keyed("O", "k", "work")))).invocationId);
  const everyMs = workMs + 10;
  const period = async (): Promise<readonly [number, number]> => {
    const count = () => [countOf(actors, "queue", ["send"]), countOf(actors, "table", ["get", "query"])] as const;
    const [sends, reads] = count();
    for (let ms = 0; ms < PERIOD_MS; ms += everyMs) {
      await sendOne();
      await stage.pulse.pass(everyMs);
    }
    const [sendsNow, readsNow] = count();
    return [sendsNow - sends, readsNow - reads];
  };
  for (let count = 0; count < 5; count++) await sendOne();
  await period();
  const counted = [await period()];
  for (const id of ids.slice(0, strays)) await sendWake(ingress.engine, { id, target: { service: "O" } }, 0);
  for (let count = 0; count < 3; count++) counted.push(await period());
  return counted;
}

test.each([
  [1, 700],
  [8, 700],
  [8, 2_000],
])(
  "stray messages on a busy key are gone within a period (%i workers, %i ms of work)",
  async (workers, workMs) => {
    // The baseline without stray messages: the costs of a period vary with the length of the queue at the key.
    const [, calm, ...calmLater] = await periods(workers, workMs, 0);
    const [before, first, ...later] = await periods(workers, workMs, 5);
    console.log(
      `sends and reads per 10 s, ${workers} workers, ${workMs} ms: ${JSON.stringify([before, first, ...later])}, ` +
        `without strays ${JSON.stringify([calm, ...calmLater])}`,
    );
    expect(later).toEqual(calmLater);
    // A stray message repeats a give-back, which sends at most one message, to the direct successor at the key (I6).
    expect(first![0]).toBeLessThanOrEqual(calm![0] + 5);
  },
  120_000,
);

test("if a driver dies in a give-back before the wake of the next invocation, redelivery completes the give-back", async () => {
  const stage = await open({ work: () => "done" }, { services: [objectOf(["work"])] });
  const [ingress, dying] = [stage.actor(), stage.actor()];
  const first = await sendKeyed(ingress, keyed("O", "k", "work"));
  const second = await sendKeyed(ingress, keyed("O", "k", "work"));
  dying.process.before = ({ method, args }) => {
    const wakes = method === "send" && (args[0] as { invocationId: string }).invocationId === second.invocationId;
    if (wakes) dying.die();
    return wakes ? Promise.resolve() : undefined;
  };
  dying.startWorker();
  await stage.pulse.pass(100);
  expect(await inspect(ingress.engine, first.invocationId)).toMatchObject({ status: "completed" });
  const worker = stage.actor();
  worker.startWorker();
  await stage.pulse.pass(2 * LEASE_MS);
  expect(await inspect(ingress.engine, second.invocationId)).toMatchObject({ status: "completed" });
});
