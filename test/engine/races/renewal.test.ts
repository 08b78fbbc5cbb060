/** Renewals of a lease that fail or lose their answers. */
import { expect, test } from "vitest";
import { openItems } from "../../../shared/engine/store/index-walk.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { callOn, LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import { writesHold } from "../../harness/engine/hold-writes.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a lease is not renewed before the acceptance is durable, so a failed acceptance leaves nothing in the open index", async () => {
  const stage = await open({
    slow: async () => {
      await stage.pulse.sleep(3 * LEASE_MS);
      return "done";
    },
  });
  const actor = stage.actor();
  actor.process.before = ({ port, method, args }) => {
    const [item] = args as [{ sk?: string }?];
    if (port !== "table" || method !== "put" || item?.sk !== "seg#000000") return undefined;
    return stage.pulse.sleep(0.8 * LEASE_MS).then(() => Promise.reject(new StoreError("the store is busy")));
  };
  const refused = callOn(actor, "slow").catch((error: unknown) => String(error));
  await stage.pulse.pass(4 * LEASE_MS);
  expect(await refused).toContain("the store is busy");
  const noted = [];
  for await (const item of openItems(actor.engine)) noted.push(item);
  expect(noted).toEqual([]);
});

test.each([1, 2, 3])("an attempt goes on although renewal %i of its lease failed", async (failing) => {
  const stage = await open({
    slow: async () => {
      await stage.pulse.sleep(3 * LEASE_MS);
      return "done";
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  let renewals = 0;
  actor.process.before = (call) => {
    if (!writesHold(call)) return undefined;
    return ++renewals === failing ? Promise.reject(new StoreError("the store is busy")) : undefined;
  };
  expect(textOf(await stage.pulse.within(5 * LEASE_MS, callOn(actor, "slow")))).toBe("done");
  expect(renewals).toBeGreaterThan(failing);
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("an attempt goes on although the answer to a renewal of its lease was lost", async () => {
  const stage = await open({
    slow: async () => {
      await stage.pulse.sleep(3 * LEASE_MS);
      return "done";
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  let renewals = 0;
  actor.process.before = (call) => {
    if (!writesHold(call) || ++renewals !== 2) return undefined;
    const [key, update, condition] = call.args as Parameters<typeof actor.engine.table.update>;
    return stage.stores.table.update(key, update, condition).then(() => {
      throw new StoreError("its effect is unknown");
    });
  };
  expect(textOf(await stage.pulse.within(5 * LEASE_MS, callOn(actor, "slow")))).toBe("done");
  expect(stage.deployment.attempts).toHaveLength(1);
});
