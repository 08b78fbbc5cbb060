/** Retries: backoff, the last attempt of the policy, delays and behaviors that the handler chooses, and failure events. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { callOn, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { AttemptFails } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const idIn = (stage: Stage) => stage.deployment.attempts[0]!.start.debugId as InvocationId;

test("a short backoff passes in the driver, without a park, and ends within its jitter", async () => {
  const stage = await open({
    stumbles: () => {
      if (stage.deployment.attempts.length <= 2) throw new Error("boom");
      return "well";
    },
  });
  const actor = stage.actor();
  const startedAtMs = stage.pulse.nowMs();
  expect(textOf(await stage.pulse.within(1_000, callOn(actor, "stumbles")))).toBe("well");
  const tookMs = stage.pulse.nowMs() - startedAtMs;
  expect(tookMs).toBeGreaterThanOrEqual(300);
  expect(tookMs).toBeLessThanOrEqual(390);
  expect(stage.deployment.attempts.map(({ start }) => start.retryCountSinceLastStoredEntry)).toEqual([0, 1, 2]);
});

test("a long backoff is parked, survives a restart, and ends at its moment", async () => {
  const retry = { initialIntervalMs: 20_000, maxIntervalMs: 20_000 };
  const handlers = {
    stumbles: () => {
      if (stage.deployment.attempts.length === 1) throw new Error("boom");
      return "well";
    },
  };
  const stage: Stage = await open(handlers, { retry });
  const first = stage.actor();
  first.startWorker();
  const { invocationId } = await sendOn(first, "stumbles");
  await stage.pulse.settle();
  const view = await inspect(first.engine, invocationId);
  expect(view).toMatchObject({ status: "backing-off", attempts: 1, lastFailure: { message: "boom" } });
  expect(first.engine.activeInvocations.size).toBe(0);
  await stage.reboot();
  const second = stage.actor();
  second.startWorker();
  await stage.pulse.pass(view!.nextRetryAtMs! - stage.pulse.nowMs() - 1);
  expect(stage.deployment.attempts).toHaveLength(1);
  await stage.pulse.pass(1);
  expect(stage.deployment.attempts).toHaveLength(2);
  expect(stage.deployment.attempts[1]!.start.retryCountSinceLastStoredEntry).toBe(1);
  const end = await attach(second.engine, invocationId);
  expect(end.kind === "ended" && textOf(end)).toBe("well");
});

test("after the last attempt of the policy the invocation is paused; attempts count across parks and processes", async () => {
  const retry = { initialIntervalMs: 5_000, factor: 1, maxAttempts: 3, onMaxAttempts: "pause" as const };
  const stage = await open(
    {
      stumbles: () => {
        throw new Error("boom");
      },
    },
    { retry },
  );
  const first = stage.actor();
  first.startWorker();
  const { invocationId } = await sendOn(first, "stumbles");
  await stage.pulse.pass(1_000);
  await stage.reboot();
  const second = stage.actor();
  second.startWorker();
  await stage.pulse.pass(100_000);
  expect(stage.deployment.attempts).toHaveLength(3);
  expect(await inspect(second.engine, invocationId)).toMatchObject({
    status: "paused",
    lastFailure: { errorCode: "RT0007", message: "boom" },
  });
});

test("after the last attempt of the policy the invocation fails with the last error", async () => {
  const retry = { maxAttempts: 3, onMaxAttempts: "kill" as const };
  const stage = await open(
    {
      stumbles: () => {
        throw new AttemptFails("boom", { code: 512 });
      },
    },
    { retry },
  );
  expect(textOf(await stage.pulse.within(5_000, callOn(stage.actor(), "stumbles")))).toBe("512 boom");
  expect(stage.deployment.attempts).toHaveLength(3);
});

test("a retry after a delay that the handler chose consumes no attempt of the policy", async () => {
  const retry = { maxAttempts: 2, onMaxAttempts: "kill" as const };
  const stage = await open(
    {
      stumbles: () => {
        if (stage.deployment.attempts.length < 6) throw new AttemptFails("boom", { delayMs: 70 });
        return "well";
      },
    },
    { retry },
  );
  const startedAtMs = stage.pulse.nowMs();
  expect(textOf(await stage.pulse.within(5_000, callOn(stage.actor(), "stumbles")))).toBe("well");
  expect(stage.pulse.nowMs() - startedAtMs).toBe(5 * 70);
});

test("behavior fail ends the invocation, behavior pause pauses it", async () => {
  const stage = await open({
    fails: () => {
      throw new AttemptFails("no more", { code: 570, behavior: 2 });
    },
    pauses: () => {
      throw new AttemptFails("hold it", { behavior: 1 });
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  expect(textOf(await stage.pulse.within(0, callOn(actor, "fails")))).toBe("570 no more");
  const { invocationId } = await sendOn(actor, "pauses");
  await stage.pulse.pass(3_600_000);
  expect(stage.deployment.of("pauses")).toHaveLength(1);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "paused" });
});

test("entries before an error are kept: a run that succeeded is not run again", async () => {
  const ran: string[] = [];
  const stage = await open({
    steps: async (ctx) => {
      const first = await ctx.get(ctx.run("one", () => `${ran.push("one")}`));
      const second = ctx.run("two", () => {
        ran.push("two");
        if (ran.length < 4) throw new Error("boom");
        return "2";
      });
      return first + (await ctx.get(second));
    },
  });
  expect(textOf(await stage.pulse.within(5_000, callOn(stage.actor(), "steps")))).toBe("12");
  expect(ran).toEqual(["one", "two", "two", "two"]);
  // A stored command resets the count, so that the SDK can bound the retries of each run separately.
  const counts = stage.deployment.attempts.map(({ start }) => start.retryCountSinceLastStoredEntry);
  expect(counts).toEqual([0, 0, 1, 2, 0]);
});

test("equal failures are shown once, and of different failures at most the newest 32", async () => {
  let words = "equal";
  const stage = await open(
    {
      stumbles: () => {
        throw new Error(words);
      },
    },
    { retry: { initialIntervalMs: 50, maxIntervalMs: 50 } },
  );
  const actor = stage.actor();
  void callOn(actor, "stumbles").catch(() => undefined);
  await stage.pulse.pass(500);
  expect(stage.deployment.attempts.length).toBeGreaterThan(5);
  expect((await inspect(actor.engine, idIn(stage)))!.events.map(({ message }) => message)).toEqual(["equal"]);
  for (let i = 0; i < 50; i++) {
    words = `failure ${i}`;
    await stage.pulse.pass(65);
  }
  const { events } = (await inspect(actor.engine, idIn(stage)))!;
  expect(events.length).toBeLessThanOrEqual(32);
  expect(events.at(-1)!.message).toBe("failure 49");
  expect(new Set(events.map(({ message }) => message)).size).toBe(events.length);
});

test("failures are shown as events whether or not their attempts stored an entry, also after a success", async () => {
  const stage = await open({
    stumbles: (ctx) => {
      const attempt = stage.deployment.attempts.length;
      if (attempt === 1) throw new Error("nothing stored");
      ctx.send("other", "");
      if (attempt === 2) throw new Error("a send stored");
      return "well";
    },
    other: () => "",
  });
  const actor = stage.actor();
  expect(textOf(await stage.pulse.within(5_000, callOn(actor, "stumbles")))).toBe("well");
  const view = await inspect(actor.engine, idIn(stage));
  expect(view?.events.map(({ message }) => message)).toEqual(["nothing stored", "a send stored"]);
  expect(view?.lastFailure).toBeUndefined();
});
