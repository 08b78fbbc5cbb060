/** The clock of the machine is set by hours, forward or back, while invocations run, wait and back off; no timer notices this. */
import { expect, test } from "vitest";
import { waitOrProbe } from "../../../shared/engine/admission/circuit.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { consumeWake } from "../../../shared/engine/consume/consume-wake.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { isLeased } from "../../../shared/engine/store/load.ts";
import { deployment, service } from "../../core/registry/sample-deployment.ts";
import { LEASE_MS, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { AttemptFails, type Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const outcomeOf = async (
  stage: Stage,
  actor: ReturnType<Stage["actor"]>,
  id: Parameters<typeof attach>[1],
  ms: number,
) => {
  const ended = await stage.pulse.within(ms, attach(actor.engine, id));
  return ended.kind === "ended" ? textOf(ended) : ended.kind;
};

test.each([
  ["sole owner", true],
  ["process of a shared table", false],
])("an attempt goes on while the clock of its %s is set forward by hours, and is made once", async (_, soleOwner) => {
  const stage: Stage = await open({
    works: async () => {
      await stage.pulse.sleep(5 * MINUTE_MS);
      return "worked";
    },
  });
  const actor = stage.actor({ soleOwner });
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "works");
  await stage.pulse.pass(MINUTE_MS);
  stage.pulse.set(3 * HOUR_MS);
  expect(await outcomeOf(stage, actor, invocationId, 6 * MINUTE_MS)).toBe("worked");
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a dead exchange is aborted after its timeout, although the clock was set back meanwhile", async () => {
  const stage: Stage = await open(
    {
      silent: async () => {
        if (stage.deployment.attempts.length === 1) await stage.pulse.sleep(24 * HOUR_MS);
        return "at last";
      },
    },
    { abortTimeoutMs: MINUTE_MS },
  );
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "silent");
  await stage.pulse.pass(MINUTE_MS / 2);
  stage.pulse.set(-3 * HOUR_MS);
  expect(await outcomeOf(stage, actor, invocationId, 2 * MINUTE_MS)).toBe("at last");
});

const sleepsBeside =
  (stage: () => Stage, ms: number): Handler =>
  async (ctx) => {
    const timer = ctx.sleep(stage().pulse.nowMs() + ms);
    await ctx.race(timer, ctx.call("child"));
    return "awake";
  };

test.each(["forward", "back"] as const)(
  "a sleep beside a call ends soon after its moment, if the clock is set %s",
  async (way) => {
    const child: Handler = async () => {
      await stage.pulse.sleep(5 * HOUR_MS);
      return "late";
    };
    const stage: Stage = await open({ sleeps: sleepsBeside(() => stage, HOUR_MS / 2), child });
    const actor = stage.actor({ soleOwner: true });
    actor.startWorker();
    if (way === "back") stage.pulse.set(HOUR_MS);
    const { invocationId } = await sendOn(actor, "sleeps");
    await stage.pulse.pass(MINUTE_MS);
    const setMs = way === "forward" ? HOUR_MS : -HOUR_MS / 4;
    stage.pulse.set(setMs);
    const leftMs = HOUR_MS / 2 - MINUTE_MS - setMs;
    if (leftMs > 0) {
      await stage.pulse.pass(leftMs - MINUTE_MS);
      expect(stage.deployment.of("sleeps").length).toBeLessThan(3);
    }
    expect(await outcomeOf(stage, actor, invocationId, 11 * MINUTE_MS)).toBe("awake");
  },
);

test.each([200, 30_000])(
  "an attempt that failed is repeated within its backoff of %i ms, although the clock is set back meanwhile",
  async (backoffMs) => {
    const stage: Stage = await open(
      {
        stumbles: () => {
          if (stage.deployment.attempts.length === 1) throw new AttemptFails("boom");
          return "well";
        },
      },
      { retry: { initialIntervalMs: backoffMs, maxIntervalMs: backoffMs } },
    );
    const actor = stage.actor({ soleOwner: true });
    actor.startWorker();
    const { invocationId } = await sendOn(actor, "stumbles");
    await stage.pulse.pass(50);
    stage.pulse.set(-10 * HOUR_MS);
    expect(await outcomeOf(stage, actor, invocationId, 2 * backoffMs + LEASE_MS)).toBe("well");
  },
);

test("a lease that was made before the clock was set back is made anew, and does not last for hours", async () => {
  const stage: Stage = await open({
    works: async () => {
      await stage.pulse.sleep(5 * MINUTE_MS);
      return "worked";
    },
  });
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "works");
  await stage.pulse.pass(MINUTE_MS);
  stage.pulse.set(-10 * HOUR_MS);
  await stage.pulse.pass(1_000);
  const { lease } = actor.engine.activeInvocations.find(invocationId)!;
  expect(lease.untilMs - stage.pulse.nowMs()).toBeLessThanOrEqual(LEASE_MS);
  expect(lease.untilMs - stage.pulse.nowMs()).toBeGreaterThan(0);
});

test("a sole owner does not believe in a lease that has more left than a lease", async () => {
  const stage = await open({});
  const { engine } = stage.actor({ soleOwner: true });
  const token = engine.activeInvocations.newToken();
  const isHeld = (leftMs: number) =>
    isLeased(engine, { lease: { token, untilMs: stage.pulse.nowMs() + leftMs } }, stage.pulse.nowMs());
  expect([0, 1, LEASE_MS, LEASE_MS + 1, 10 * HOUR_MS].map(isHeld)).toEqual([false, true, true, false, false]);
});

test("a run without a result is stored within a second, although the clock is set back before that", async () => {
  const stage: Stage = await open(
    {
      runs: async (ctx) => {
        const run = async () => {
          await stage.pulse.sleep(HOUR_MS / 2);
          return "ran";
        };
        return await ctx.get(ctx.run("long", run));
      },
    },
    { opensExchanges: true, inactivityTimeoutMs: HOUR_MS },
  );
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "runs");
  await stage.pulse.pass(100);
  stage.pulse.set(-10 * HOUR_MS);
  await stage.pulse.pass(2_000);
  expect((await inspect(actor.engine, invocationId))!.entries).toHaveLength(2);
});

test("a caller that waits looks for a driver once a lease, although the clock was set back meanwhile", async () => {
  const stage: Stage = await open({
    works: async () => {
      await stage.pulse.sleep(24 * HOUR_MS);
      return "worked";
    },
  });
  const [dies, waits] = [stage.actor(), stage.actor({ soleOwner: true })];
  dies.startWorker();
  const { invocationId } = await sendOn(dies, "works");
  await stage.pulse.pass(100);
  dies.die();
  void attach(waits.engine, invocationId);
  await stage.pulse.pass(LEASE_MS / 2);
  stage.pulse.set(-10 * HOUR_MS);
  const wakes = () => waits.process.methods("queue").filter((method) => method === "send").length;
  const before = wakes();
  // A sole owner polls every 30 s at the latest.
  await stage.pulse.pass(10 * LEASE_MS);
  expect(wakes() - before).toBeGreaterThanOrEqual(3);
});

test("a process learns of a deployment within a second, although its clock was set back after its last look", async () => {
  const stage = await open({ first: () => "first" });
  const { engine } = stage.actor();
  await engine.registry.route("S", "first");
  await writeDeployment(stage.stores.meta, "", deployment(1, [service("S", ["second"])]), 1);
  const isKnown = async () => (await engine.registry.route("S", "first")).found;
  expect(await isKnown()).toBe(true);
  stage.pulse.set(-10 * HOUR_MS);
  expect(await isKnown()).toBe(false);
});

test("a circuit that opened before the clock was set back lets a probe through", async () => {
  const stage = await open({ first: () => "first" });
  const { engine } = stage.actor();
  const place = { deploymentId: stage.deploymentId, service: "S" };
  const nowMs = stage.pulse.nowMs();
  const opened = { ...place, sinceMs: nowMs, untilMs: nowMs + 1_000, pauseMs: 1_000, reason: "down" };
  await engine.registry.setCircuit(opened, undefined);
  await engine.registry.route("S", "first");
  const waiting = await waitOrProbe(engine, opened);
  expect(waiting).toMatchObject({ kind: "wait", why: { kind: "circuit", name: "down" } });
  expect(waiting.kind === "wait" && waiting.untilMs).toBeGreaterThan(nowMs);
  stage.pulse.set(-10 * HOUR_MS);
  expect(await waitOrProbe(engine, opened)).toMatchObject({ kind: "go", isProbe: true });
});

test("the message of an invocation that another process drives comes again within a lease, although the clock is set back", async () => {
  const stage: Stage = await open({
    works: async () => {
      await stage.pulse.sleep(HOUR_MS);
      return "worked";
    },
  });
  const [drives, asks] = [stage.actor(), stage.actor()];
  drives.startWorker();
  const { invocationId } = await sendOn(asks, "works");
  await stage.pulse.pass(100);
  const wake = { invocationId, sentAtMs: stage.pulse.nowMs(), delayMs: 400_000 };
  stage.pulse.set(-10 * HOUR_MS);
  await consumeWake(asks.engine, wake);
  const sent = asks.process.calls.filter(({ port, method }) => port === "queue" && method === "send").at(-1)!;
  expect((sent.args[0] as { delayMs: number }).delayMs).toBeLessThanOrEqual(LEASE_MS + 1);
});

test.each([
  ["forward", 3],
  ["back", -3],
])("an attempt that begins just after the clock was set %s is made once", async (_, hours) => {
  const stage: Stage = await open({
    works: async () => {
      await stage.pulse.sleep(MINUTE_MS);
      return "worked";
    },
  });
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await sendOn(actor, "works");
  // Within a round of the watch, which lasts 250 ms.
  await stage.pulse.pass(350);
  stage.pulse.set(hours * HOUR_MS);
  const { invocationId } = await sendOn(actor, "works");
  expect(await outcomeOf(stage, actor, invocationId, 2 * MINUTE_MS)).toBe("worked");
  expect(stage.deployment.attempts).toHaveLength(2);
});
