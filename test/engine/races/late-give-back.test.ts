/** A life that holds its key a second time: the give-back of its first grant comes late, and writes nothing (I6). */
import { expect, test } from "vitest";
import type { Key } from "../../../shared/engine/ports/table.ts";
import { lockAt, objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { addCount, callKeyed, getCount, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const once = { ...keyed("O", "k", "add", "1"), idempotencyKey: "once" };

const writesLock = ({ port, method, args }: PortCall): boolean =>
  port === "table" && method === "update" && (args[0] as Key).sk === "lock";

/**
 * Two processes accept the same send. The first process takes the key for the send; the driver `late` completes the send and
 * stops before the give-back, which another driver performs. A later call changes the state. Then the second process takes the
 * free key for the send, although the send has ended.
 */
async function heldAgain() {
  const [first, second, thaw] = [new Gate(), new Gate(), new Gate()];
  const stage = await open({ add: addCount, get: getCount }, { services: [objectOf(["add"], ["get"])] });
  const [ingress, slow, late, other] = [stage.actor(), stage.actor(), stage.actor(), stage.actor()];
  ingress.process.before = (call) => (writesLock(call) ? first.passed : undefined);
  slow.process.before = (call) => (writesLock(call) ? second.passed : undefined);
  const sent = sendKeyed(ingress, once);
  await stage.pulse.settle();
  const repeated = sendKeyed(slow, once);
  await stage.pulse.settle();
  first.open();
  const { invocationId } = await stage.pulse.within(0, sent);

  let isStopped = false;
  late.process.before = (call) => {
    isStopped ||= writesLock(call);
    return isStopped ? thaw.passed : undefined;
  };
  late.startWorker();
  await stage.pulse.pass(100);
  other.startWorker();
  await stage.pulse.pass(2 * LEASE_MS);
  expect(textOf(await stage.pulse.within(1_000, callKeyed(other, keyed("O", "k", "add", "10"))))).toBe("11");

  await stage.pulse.within(60_000, other.stopWorker());
  second.open();
  expect((await stage.pulse.within(0, repeated)).invocationId).toBe(invocationId);
  const lock = await lockAt(other.engine, objectPartition(other.engine, { service: "O", key: "k" }));
  expect(lock.holder?.id).toBe(invocationId);
  const count = async () => textOf(await stage.pulse.within(1_000, callKeyed(other, keyed("O", "k", "get"))));
  const add = async () => textOf(await stage.pulse.within(1_000, callKeyed(other, keyed("O", "k", "add", "100"))));
  return { stage, late, thaw, count, add };
}

test("a give-back under an earlier grant of the same holder does not overwrite the state that a later holder wrote", async () => {
  const { stage, thaw, count, add } = await heldAgain();
  thaw.open();
  await stage.pulse.settle();
  expect([await count(), await add()]).toEqual(["11", "111"]);
});

test("a give-back that is redone under a later grant gives the key back without the changes of the earlier grant", async () => {
  const { stage, late, count, add } = await heldAgain();
  late.die();
  stage.actor().startWorker();
  await stage.pulse.settle();
  expect([await count(), await add()]).toEqual(["11", "111"]);
});
