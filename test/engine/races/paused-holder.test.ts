/** The queue of a key passes over a holder that an operator paused before its first attempt (I6). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { idempotentId } from "../../../shared/engine/accept/invocation-ids.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { isGivenUp } from "../../../shared/engine/lock/leave-queue.ts";
import { NO_LOCK } from "../../../shared/engine/store/lock-record.ts";
import { lockAt, objectPartition } from "../../../shared/engine/store/object-partition.ts";
import type { Key, Update } from "../../../shared/engine/ports/table.ts";
import { ACCEPTANCE } from "../../core/invocation/sample-invocation.ts";
import { crashAfter, crashBefore } from "../../harness/engine/crash.ts";
import { type Actor, LEASE_MS, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { writesHold } from "../../harness/engine/hold-writes.ts";
import { lockUpdate, ticket } from "../../harness/engine/named-calls.ts";
import { callKeyed, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const KEEP = { kind: "keep" } as const;
const HELD_MS = 20_000;
/** Time for two leases and the messages after them. A look of the sweeper cannot help within it: looks are minutes apart. */
const SOON_MS = 3 * LEASE_MS;

const work = (name: string) => ({ ...keyed("O", "k", "work", name), idempotencyKey: name });
const idOf = ({ engine }: Actor, name: string): InvocationId => idempotentId(engine, work(name).target, name);
const statusOf = async ({ engine }: Actor, id: InvocationId) => (await inspect(engine, id))?.status;

const isOf =
  (id: InvocationId, isIt: (call: PortCall) => boolean) =>
  (call: PortCall): boolean =>
    isIt(call) && (call.args[0] as Key).pk.includes(id);

/** True for the update of a lock that names a holder. */
const heldAgain = ({ args }: PortCall): boolean => (args[1] as Update).set?.["holder"] !== undefined;

/** `hold` sends `first`. The invocations `first` and `long` hold the key `k` for 20 s each. `holding` is the only worker. */
async function held() {
  const order: string[] = [];
  const handler: Handler = async (ctx) =>
    await ctx.get(
      ctx.run("done", async () => {
        order.push(ctx.input);
        if (ctx.input === "first" || ctx.input === "long") await stage.pulse.sleep(HELD_MS);
        return ctx.input;
      }),
    );
  const stage = await open({ work: handler }, { services: [objectOf(["work"])] });
  const holding = stage.actor();
  holding.startWorker();
  return { stage, holding, order, hold: () => sendSoon(stage, holding, "first") };
}

async function sendSoon(stage: Stage, actor: Actor, name: string): Promise<InvocationId> {
  const { invocationId } = await stage.pulse.within(100, sendKeyed(actor, work(name)));
  await stage.pulse.pass(100);
  return invocationId;
}

/** The next call to the key ends while the invocation is paused, and the invocation ends once it is resumed. */
async function expectPassedOver(stage: Stage, actor: Actor, id: InvocationId, name: string): Promise<void> {
  const next = callKeyed(actor, work("next"));
  expect(textOf(await stage.pulse.within(SOON_MS, next))).toBe("next");
  expect(await statusOf(actor, id)).toBe("paused");
  await resume(actor.engine, id, KEEP);
  const end = await stage.pulse.within(SOON_MS, attach(actor.engine, id));
  expect(end.kind === "ended" && textOf(end)).toBe(name);
}

test("an invocation that was restarted with kept entries leaves the queue of its key when it is paused there", async () => {
  const { stage, holding, hold } = await held();
  const former = await stage.pulse.within(1_000, callKeyed(holding, work("former")));
  await hold();
  const copy = await stage.pulse.within(1_000, restart(holding.engine, former.invocationId, 1, KEEP));
  if (typeof copy === "string" || copy.kind !== "restarted") throw new Error(JSON.stringify(copy));
  await stage.pulse.pass(100);
  expect(await pause(holding.engine, copy.invocationId)).toBe("noted");
  await stage.pulse.pass(HELD_MS + 100);
  await expectPassedOver(stage, holding, copy.invocationId, "former");
});

test("an invocation whose driver died before the first attempt passes its key on when it is paused", async () => {
  const { stage, holding, order, hold } = await held();
  await hold();
  const second = await sendSoon(stage, holding, "second");
  const died = crashAfter(holding, isOf(second, writesHold));
  await stage.pulse.pass(HELD_MS);
  expect(died.at?.method).toBe("update");
  const other = stage.actor();
  expect(await pause(other.engine, second)).toBe("noted");
  other.startWorker();
  await stage.pulse.pass(2 * LEASE_MS);
  expect(order).toEqual(["first"]);
  await expectPassedOver(stage, other, second, "second");
});

test("an invocation that gets its key while it leaves the queue for a pause passes the key on", async () => {
  const { stage, holding, order, hold } = await held();
  await hold();
  const second = await sendSoon(stage, holding, "second");
  const thaw = new Gate();
  await stage.pulse.pass(HELD_MS - 1_000);
  holding.process.before = (call) => (ticket(1)(call) ? thaw.passed : undefined);
  expect(await pause(holding.engine, second)).toBe("noted");
  await stage.pulse.pass(2_000);
  const lock = await lockAt(holding.engine, objectPartition(holding.engine, { service: "O", key: "k" }));
  expect(lock.holder?.id).toBe(second);
  thaw.open();
  await stage.pulse.pass(1_000);
  expect(order).toEqual(["first"]);
  await expectPassedOver(stage, holding, second, "second");
});

test("a paused invocation whose acceptor died after it drew a ticket passes on the key that it gets", async () => {
  const { stage, holding, hold } = await held();
  await hold();
  const accepting = stage.actor();
  const second = idOf(holding, "second");
  const died = crashBefore(accepting, isOf(second, writesHold));
  void sendKeyed(accepting, work("second"));
  await stage.pulse.pass(100);
  expect(died.at).toBeDefined();
  expect(await pause(holding.engine, second)).toBe("noted");
  await stage.pulse.pass(100);
  expect(await statusOf(holding, second)).toBe("paused");
  await stage.pulse.pass(HELD_MS);
  await expectPassedOver(stage, holding, second, "second");
});

test("a driver that passes the key on late leaves the key to the invocation that has been resumed since", async () => {
  const { stage, holding, order, hold } = await held();
  await hold();
  const long = await sendSoon(stage, holding, "long");
  const [thaw, late] = [new Gate(), new Gate()];
  await stage.pulse.pass(HELD_MS - 1_000);
  holding.process.before = (call) => (ticket(1)(call) ? thaw.passed : undefined);
  expect(await pause(holding.engine, long)).toBe("noted");
  await stage.pulse.pass(2_000);
  let passes = 0;
  holding.process.before = (call) => {
    if (!lockUpdate(call)) return undefined;
    passes++;
    return late.passed;
  };
  thaw.open();
  await stage.pulse.pass(1_000);
  expect(passes).toBeGreaterThan(0);
  expect(await statusOf(holding, long)).toBe("paused");

  void holding.stopWorker();
  const other = stage.actor();
  other.startWorker();
  expect(await resume(other.engine, long, KEEP)).toBe("done");
  await stage.pulse.pass(1_000);
  expect(order).toEqual(["first", "long"]);
  late.open();
  const next = callKeyed(other, work("next"));
  await stage.pulse.pass(HELD_MS / 2);
  expect(order).toEqual(["first", "long"]);
  expect(textOf(await stage.pulse.within(SOON_MS, next))).toBe("next");
  expect(order).toEqual(["first", "long", "next"]);
});

test("a call behind a paused holder passes the key on if the messages of the hand-over to that holder are lost", async () => {
  const { stage, holding, hold } = await held();
  await hold();
  const accepting = stage.actor();
  const second = idOf(holding, "second");
  crashBefore(accepting, isOf(second, writesHold));
  void sendKeyed(accepting, work("second"));
  await stage.pulse.pass(100);
  await pause(holding.engine, second);
  await stage.pulse.pass(100);
  const died = crashAfter(holding, (call) => lockUpdate(call) && heldAgain(call));
  await stage.pulse.pass(HELD_MS);
  expect(died.at).toBeDefined();
  await stage.wipeHints();
  const other = stage.actor();
  other.startWorker();
  await stage.pulse.pass(3 * LEASE_MS);
  await expectPassedOver(stage, other, second, "second");
});

test("an invocation that left the queue gives up a grant from before, but no later grant, and none under which it ran", () => {
  const acceptance = { ...ACCEPTANCE, handlerType: "exclusive" } as const;
  const lock = { ...NO_LOCK, holder: acceptance, grant: 5 };
  expect(isGivenUp(lock, { acceptance, leftQueueAt: 1 })).toBe(true);
  expect(isGivenUp({ ...lock, applied: 1 }, { acceptance, leftQueueAt: 1 })).toBe(false);
  expect(isGivenUp(lock, { acceptance, leftQueueAt: 1, grant: 5 })).toBe(false);
  expect(isGivenUp(lock, { acceptance })).toBe(false);
});
