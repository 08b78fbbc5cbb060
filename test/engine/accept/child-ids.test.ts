/** The ids of children follow from the life of their caller and from the command (I7). */
import { expect, test } from "vitest";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { callOn, LEASE_MS } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

/** @returns the ids of invocations in a stored record, in order */
function idsIn({ b }: Item): readonly string[] {
  return (
    Buffer.from(b as Uint8Array)
      .toString("latin1")
      .match(/inv_1[0-9A-Za-z]{33}/g) ?? []
  );
}

test("when an attempt is repeated, its children get the same ids as in the discarded attempt", async () => {
  const stage = await open({
    parent: async (ctx) => {
      const called = ctx.call("child", "called");
      ctx.send("child", "sent");
      return await ctx.get(called);
    },
    child: (ctx) => ctx.input,
  });
  const [driver, other] = [stage.actor(), stage.actor()];
  let discarded: readonly string[] = [];
  driver.process.before = ({ port, method, args }) => {
    const [item] = args as readonly [Item];
    if (port !== "table" || method !== "put" || !/^seg#.+#000001$/.test(item.sk)) return undefined;
    discarded = idsIn(item);
    driver.die();
    return new Promise(() => undefined);
  };
  void callOn(driver, "parent");
  await stage.pulse.settle();
  other.startWorker();
  await stage.pulse.pass(2 * LEASE_MS);
  const accepted = ["called", "sent"].map(
    (input) => stage.deployment.of("child").find((attempt) => attempt.input === input)!.start.debugId,
  );
  expect(new Set(accepted).size).toBe(2);
  expect(discarded).toEqual(accepted);
});
