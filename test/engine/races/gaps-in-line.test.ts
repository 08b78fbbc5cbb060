/** The first tickets of a queue belong to no waiting invocation. The first invocation behind them looks at the holder of the key (I6, I8). */
import { expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { editState, stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { takeOrQueue } from "../../../shared/engine/lock/object-lock.ts";
import { objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { LEASE_MS } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { GAPS, GONE, TARGET, getsItsKey } from "./gaps-in-line.ts";

const open = stages();

test("an edit behind a life that is gone is applied at once", async () => {
  const stage = await open({ greet: () => "hello" }, { services: [objectOf(["greet"])] });
  const { engine } = stage.actor();
  await stage.pulse.during(takeOrQueue(engine, objectPartition(engine, TARGET), GONE));
  const values = new Map([["name", new Uint8Array([1])]]);
  expect(await stage.pulse.during(editState(engine, TARGET, "object", values))).toBe("applied");
  expect(await stage.pulse.during(stateOf(engine, TARGET))).toEqual(values);
});

test("an edit behind a holder of more than four megabytes sends the holder a wake, and does not load it whole", async () => {
  const stage = await open({ waits: (ctx) => ctx.get(ctx.awakeable().result) }, { services: [objectOf(["waits"])] });
  const actor = stage.actor();
  const { engine, process } = actor;
  actor.startWorker();
  const large = keyed("O", "k", "waits", "x".repeat(6 << 20));
  const { invocationId } = await stage.pulse.during(sendKeyed(actor, large));
  await stage.pulse.pass(2 * LEASE_MS);
  expect(await inspect(engine, invocationId)).toMatchObject({ status: "suspended" });
  const before = process.calls.length;
  expect(await stage.pulse.during(editState(engine, TARGET, "object", new Map()))).toBe("queued");
  const sends = process.calls.slice(before).filter(({ port, method }) => port === "queue" && method === "send");
  expect(sends.map(({ args }) => args[0])).toMatchObject([{ invocationId, delayMs: 0 }]);
});

test.each(GAPS)("a call behind %s gets its key from a life that is gone", async (_, makeGap) => {
  await getsItsKey(open, makeGap);
});
