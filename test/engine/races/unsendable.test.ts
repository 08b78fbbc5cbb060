/** Requests that cannot be sent, acceptances that fail, and errors of the watch that renews the leases of a process. */
import { expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { callOn, LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a request that cannot be sent is a failed attempt, which the policy counts", async () => {
  const stage = await open({ greet: () => "hello" }, { retry: { initialIntervalMs: 100, maxAttempts: 3 } });
  const actor = stage.actor();
  actor.startWorker();
  let opened = 0;
  stage.deployment.refusing = () => {
    opened++;
    throw new TypeError("no such header");
  };
  const { invocationId } = await sendOn(actor, "greet");
  await stage.pulse.pass(2 * LEASE_MS);
  expect(opened).toBe(3);
  const lastFailure = { errorCode: "RT0006", message: "the request could not be sent: no such header" };
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "paused", lastFailure });
});

test("the exchange is aborted when the invocation cannot be accepted, and the caller gets the reason", async () => {
  const stage = await open({ hangs: () => new Promise<string>(() => undefined) });
  const actor = stage.actor();
  actor.process.before = ({ port, method }) =>
    port === "table" && method === "put"
      ? stage.pulse.sleep(50).then(() => Promise.reject(new StoreError("the store is full")))
      : undefined;
  const called = callOn(actor, "hangs");
  called.catch(() => undefined);
  await expect(stage.pulse.within(100, called)).rejects.toThrow("the store is full");
  expect(stage.deployment.attempts.map(({ aborted }) => aborted)).toEqual([true]);
  expect(actor.engine.activeInvocations.size).toBe(0);
});

test("an error of the watch about one active invocation does not cost another one its lease", async () => {
  const stage = await open({
    slow: async () => {
      await stage.pulse.sleep(3 * LEASE_MS);
      return "done";
    },
  });
  const [actor, other] = [stage.actor(), stage.actor()];
  other.startWorker();
  const bad = callOn(actor, "slow");
  await stage.pulse.pass(100);
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  Object.defineProperty(actor.engine.activeInvocations.find(id)!.attempt, "exchange", {
    get: () => {
      throw new Error("not to be looked at");
    },
    configurable: true,
  });
  await stage.pulse.pass(1_000);
  expect(textOf(await stage.pulse.within(4 * LEASE_MS, callOn(actor, "slow")))).toBe("done");
  expect(stage.deployment.attempts.filter(({ start }) => start.debugId !== id)).toHaveLength(1);
  bad.catch(() => undefined);
});
