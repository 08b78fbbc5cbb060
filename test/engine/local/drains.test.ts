/** Tests what follows the Output of a response stream: the engine gives the stream a bounded time to end by itself. */
import { expect, test } from "vitest";
import { call } from "../../../shared/engine/ingress/call.ts";
import type { Endpoints } from "../../../shared/engine/ports/endpoints.ts";
import { submission } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

/** Calls a deployment whose streams end only when the gate opens. */
async function lingering() {
  const stage = await open({ greet: () => "hello" });
  const actor = stage.actor();
  const gate = new Gate();
  const endpoints: Endpoints = {
    open(request) {
      const exchange = stage.deployment.open(request);
      return { ...exchange, next: async () => (await exchange.next()) ?? (await gate.passed.then(() => undefined)) };
    },
  };
  const engine = { ...actor.engine, endpoints };
  const answer = await stage.pulse.within(0, call(engine, submission("greet")));
  return { stage, engine, gate, answer, attempt: stage.deployment.attempts[0]! };
}

test("a call is answered before the end of its stream, and a stream that does not end is aborted", async () => {
  const { stage, engine, answer, attempt } = await lingering();
  expect(answer.kind).toBe("ended");
  await stage.pulse.pass(4_500);
  expect(attempt.aborted).toBe(false);
  await stage.pulse.pass(1_000);
  expect(attempt.aborted).toBe(true);
  expect([engine.activeInvocations.drains.isEmpty, engine.activeInvocations.watched]).toEqual([true, false]);
});

test("a stream that ends by itself is not aborted, and the watch over the active invocations ends", async () => {
  const { stage, engine, gate, attempt } = await lingering();
  await stage.pulse.pass(2_000);
  gate.open();
  await stage.pulse.pass(10_000);
  expect(attempt.aborted).toBe(false);
  expect([engine.activeInvocations.drains.isEmpty, engine.activeInvocations.watched]).toEqual([true, false]);
});
