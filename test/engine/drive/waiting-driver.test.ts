/** A driver that waits in memory for its calls reads what other processes write for its invocation (I4). */
import { expect, test } from "vitest";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { cancel, pause } from "../../../shared/engine/operate/orders.ts";
import { LEASE_MS, sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const CALL_MS = 600_000;

async function play(soleOwner: boolean) {
  let awakeable = "";
  const stage = await open({
    parent: async (ctx) => {
      const { id, result } = ctx.awakeable();
      awakeable = id;
      return await ctx.race(result, ctx.call("slow"));
    },
    slow: async () => {
      await stage.pulse.sleep(CALL_MS);
      return "slow";
    },
  });
  const driver = stage.actor({ soleOwner });
  driver.startWorker();
  const { invocationId } = await sendOn(driver, "parent");
  await stage.pulse.pass(LEASE_MS);
  return { stage, driver, invocationId, awakeable: () => awakeable };
}

test.each(["a cancel", "an awakeable"] as const)(
  "a driver that waits for a call learns of %s that another process delivers, while the call goes on",
  async (kind) => {
    const { stage, driver, invocationId, awakeable } = await play(false);
    // A function on AWS takes no further messages while it works on its batch.
    void driver.stopWorker();
    const other = stage.actor();
    other.startWorker();
    const sentAtMs = stage.pulse.nowMs();
    const told = { kind: "success", value: new TextEncoder().encode("told") } as const;
    const delivery =
      kind === "a cancel" ? cancel(other.engine, invocationId) : completeAwakeable(other.engine, awakeable(), told);
    await stage.pulse.within(1_000, delivery as Promise<unknown>);
    const ended = attach(other.engine, invocationId).then(() => stage.pulse.nowMs() - sentAtMs);
    expect(await stage.pulse.within(CALL_MS + 60_000, ended)).toBeLessThan(15_000);
  },
);

test("a driver that waits for a call obeys an order to pause that another process writes", async () => {
  const { stage, driver, invocationId } = await play(false);
  void driver.stopWorker();
  const other = stage.actor();
  expect(await stage.pulse.within(1_000, pause(other.engine, invocationId))).toBe("noted");
  await stage.pulse.pass(15_000);
  expect((await inspect(other.engine, invocationId))?.status).toBe("paused");
});

test.each([
  ["reads at most seven times a minute if other processes write arrivals", false, 50, 70],
  ["reads nothing in a process that owns its store alone", true, 0, 0],
])("a driver that waits for a call %s", async (_, soleOwner, readsMin, readsMax) => {
  const { stage, driver, invocationId } = await play(soleOwner);
  const readsOf = () =>
    driver.process.calls.filter(
      ({ port, method, args }) => port === "table" && method === "query" && String(args[0]).endsWith(invocationId),
    ).length;
  const before = readsOf();
  await stage.pulse.pass(CALL_MS - 2 * LEASE_MS);
  const reads = readsOf() - before;
  expect(reads).toBeGreaterThanOrEqual(readsMin);
  expect(reads).toBeLessThanOrEqual(readsMax);
});
