/** Tests when a batch of messages is answered. */
import { expect, test } from "vitest";
import { workBatch } from "../../../shared/engine/consume/work-batch.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { LEASE_MS } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a batch whose work is over is answered only when no request to the queue is under way", async () => {
  const stage = await open({});
  const { engine } = stage.actor();
  const gate = new Gate();
  const hiddenForMs: number[] = [];
  const queue = {
    send: async (wake: Parameters<typeof engine.queue.send>[0]) => await engine.queue.send(wake),
    recall: async (ticket: string) => await engine.queue.recall(ticket),
    receive: async () => [],
    ack: async (receipt: string) => await engine.queue.ack(receipt),
    extend: async (_receipt: string, ms: number) => {
      hiddenForMs.push(ms);
      await gate.passed;
    },
  };
  // This wake is old and its invocation never existed, so its work is over at once.
  const wake = { invocationId: "inv_gone" as InvocationId, sentAtMs: -10 * LEASE_MS, delayMs: 0 };
  let isAnswered = false;
  const answer = workBatch({ ...engine, queue }, [{ wake, receiveCount: 1, receipt: "r1" }]).finally(() => {
    isAnswered = true;
  });
  await stage.pulse.pass(2 * LEASE_MS);
  expect([isAnswered, hiddenForMs]).toEqual([false, [1.25 * LEASE_MS]]);
  gate.open();
  expect(await stage.pulse.within(0, answer)).toEqual([]);
});
