/** An invocation with two tickets of one key, because a driver died after the first ticket and before a lease record named it. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import { LEASE_MS, sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { putOf } from "../../harness/engine/named-calls.ts";

const open = stages();

test("when the turn of a purged child's second ticket comes, the key goes to the next ticket", async () => {
  const gates = { first: new Gate(), third: new Gate() };
  let childId = "";
  const services = [objectOf(["first", "child", "third", "last"])];
  const stage = await open(
    {
      sender: async (ctx) => (childId = await ctx.get(ctx.send("child", "", { service: "O", key: "k" }))),
      first: async () => (await gates.first.passed, "done"),
      third: async () => (await gates.third.passed, "done"),
      child: () => "done",
      last: () => "done",
    },
    { services },
  );
  const dying = stage.actor();
  crashBefore(
    dying,
    putOf(/^hold#/, ({ handler }) => handler === "child"),
  );
  await sendKeyed(dying, keyed("O", "k", "first"));
  dying.startWorker();
  await stage.pulse.pass(100);
  await sendOn(dying, "sender");
  await stage.pulse.pass(100);
  const worker = stage.actor();
  await sendKeyed(worker, keyed("O", "k", "third"));
  worker.startWorker();
  // The sender's next driver draws a second ticket for the child, after the ticket of the third invocation.
  await stage.pulse.pass(3 * LEASE_MS);
  gates.first.open();
  await stage.pulse.pass(1_000);
  expect(["child", "third", "last"].map((name) => stage.deployment.of(name).length)).toEqual([1, 1, 0]);
  expect(await stage.pulse.within(0, purge(worker.engine, childId as InvocationId))).toBe("done");
  await sendKeyed(worker, keyed("O", "k", "last"));
  gates.third.open();
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("last")).toHaveLength(1);
});
