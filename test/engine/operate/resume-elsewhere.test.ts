/** Resuming an invocation on another deployment. */
import { expect, test } from "vitest";
import type { Deployment } from "../../../shared/core/model/deployment.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { CONTROL, ErrorMessage } from "../../../shared/core/protocol/control-messages.ts";
import { messageFrame } from "../../../shared/core/protocol/frame.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { deployment, deploymentId, service } from "../../core/registry/sample-deployment.ts";
import { LEASE_MS, type Stage, sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { AttemptFails, type Handler } from "../../harness/engine/script-context.ts";
import { addCount, callKeyed, keyed, objectOf } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const FAR_MS = 500_000;
const [FIRST, SECOND, ABSENT] = [deploymentId(1), deploymentId(2), deploymentId(3)];
const LATEST = { kind: "latest" } as const;
const on = (id: typeof FIRST) => ({ kind: "id", deploymentId: id }) as const;

const steps: Handler = async (ctx) => {
  const one = await ctx.get(ctx.run("one", () => "1"));
  const two = ctx.run("two", () => {
    if (ctx.input === "pauses") throw new AttemptFails("hold it", { behavior: 1 });
    return "2";
  });
  return one + (await ctx.get(ctx.awakeable().result)) + (await ctx.get(two));
};
const stumbles: Handler = () => {
  throw new AttemptFails("hold it", { behavior: 1 });
};

/** Parks an invocation on the first deployment, and then registers a second deployment that also offers the service. */
async function resting(handler = "steps", second: Partial<Deployment> = {}) {
  const stage = await open({ steps, stumbles });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, handler);
  await stage.pulse.settle();
  const newer = deployment(2, [service("S", ["steps", "stumbles"], { revision: 2 } as object)], second);
  await writeDeployment(stage.stores.meta, "", newer, 1);
  // The cache of the registry expires after a second.
  await stage.pulse.pass(2_000);
  return { stage, actor, id: invocationId };
}

const hostOf = (stage: Stage) => {
  const { destination } = stage.deployment.attempts.at(-1)!;
  return "uri" in destination ? destination.uri : destination.arn;
};

test.each([
  ["the latest", LATEST, SECOND],
  ["the named", on(SECOND), SECOND],
  ["its own", on(FIRST), FIRST],
] as const)(
  "a suspended invocation continues on %s deployment and stays there after a reboot",
  async (_, choice, expected) => {
    const { stage, actor, id } = await resting();
    expect(await inspect(actor.engine, id)).toMatchObject({ status: "suspended", pinnedDeploymentId: FIRST });
    expect(await resume(actor.engine, id, choice)).toBe("done");
    await stage.pulse.pass(3_000);
    expect(hostOf(stage)).toBe(`http://host-${expected === FIRST ? 1 : 2}:9080/`);
    await stage.reboot();
    const later = stage.actor();
    expect(await inspect(later.engine, id)).toMatchObject({ status: "suspended", pinnedDeploymentId: expected });
  },
);

test("a change of the deployment survives a reboot that comes before the next attempt", async () => {
  const { stage, actor, id } = await resting();
  await stage.pulse.within(2 * LEASE_MS, actor.stopWorker());
  expect(await resume(actor.engine, id, LATEST)).toBe("done");
  await stage.reboot();
  const later = stage.actor();
  later.startWorker();
  await stage.pulse.pass(3 * LEASE_MS);
  expect(hostOf(stage)).toBe("http://host-2:9080/");
  expect(stage.deployment.attempts.at(-1)!.commands.length).toBeGreaterThan(1);
});

test("a later order to resume keeps the deployment that an earlier one set", async () => {
  const { stage, actor, id } = await resting();
  await stage.pulse.within(2 * LEASE_MS, actor.stopWorker());
  await resume(actor.engine, id, LATEST);
  await resume(actor.engine, id, { kind: "keep" });
  actor.startWorker();
  await stage.pulse.pass(3_000);
  expect(hostOf(stage)).toBe("http://host-2:9080/");
});

test("a deployment that is not registered is refused", async () => {
  const { actor, id } = await resting();
  expect(await resume(actor.engine, id, on(ABSENT))).toEqual({ kind: "unknown-deployment", asked: ABSENT });
});

test("a deployment that does not speak the version of the journal is refused", async () => {
  const { stage, actor, id } = await resting("steps", { maxProtocolVersion: 6 });
  const unfit = { kind: "wrong-version", deploymentId: SECOND, version: 7, min: 5, max: 6 };
  expect(await resume(actor.engine, id, LATEST)).toEqual(unfit);
  await stage.pulse.pass(3_000);
  expect(stage.deployment.attempts).toHaveLength(2);
});

test("an invocation without stored entries takes the version that its next deployment and the server share", async () => {
  const { stage, actor, id } = await resting("stumbles", { maxProtocolVersion: 6 });
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "paused" });
  expect(await resume(actor.engine, id, LATEST)).toBe("done");
  await stage.pulse.pass(3_000);
  expect(hostOf(stage)).toBe("http://host-2:9080/");
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "paused", pinnedDeploymentId: SECOND });
  expect(await resume(actor.engine, id, on(FIRST))).toBe("done");
  await stage.pulse.pass(3_000);
  expect(hostOf(stage)).toBe("http://host-1:9080/");
});

test("a deployment that speaks no version of the server is refused for an invocation without stored entries", async () => {
  const range = { minProtocolVersion: 8, maxProtocolVersion: 9 };
  const { actor, id } = await resting("stumbles", range);
  expect(await resume(actor.engine, id, on(SECOND))).toEqual({
    kind: "no-version",
    deploymentId: SECOND,
    min: 8,
    max: 9,
  });
});

/** @returns an invocation with a stored step, whose second attempt is on its way, or has failed if `fails` */
async function underWay(fails: boolean) {
  const stage = await open({ steps }, { retry: { initialIntervalMs: FAR_MS, maxIntervalMs: FAR_MS } });
  const gate = new Gate();
  const error = { body: messageFrame(CONTROL.Error, ErrorMessage, { code: 500, message: "boom" }) };
  stage.deployment.instead = ({ commands }) => {
    if (hostOf(stage) !== "http://host-1:9080/" || commands.length === 1) return undefined;
    return fails ? error : gate.passed.then(() => error);
  };
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await sendOn(actor, "steps");
  await writeDeployment(stage.stores.meta, "", deployment(2, [service("S", ["steps"])]), 1);
  await stage.pulse.pass(2_000);
  expect(await inspect(actor.engine, id)).toMatchObject({ status: fails ? "backing-off" : "running" });
  return { stage, actor, id, gate };
}

test.each([
  ["backs off", true],
  ["runs", false],
])(
  "an invocation that %s may move once an order to pause is stored, even before a driver obeys the order",
  async (_, fails) => {
    const { stage, actor, id, gate } = await underWay(fails);
    if (!fails) expect(await resume(actor.engine, id, on(SECOND))).toBe("not-movable");
    // The driver obeys no order before the clock moves.
    const orders = [await pause(actor.engine, id), await resume(actor.engine, id, on(SECOND))];
    expect(orders).toEqual(["noted", "done"]);
    gate.open();
    await stage.pulse.pass(3_000);
    expect(hostOf(stage)).toBe("http://host-2:9080/");
    await stage.reboot();
    const view = await inspect(stage.actor().engine, id);
    expect(view).toMatchObject({ status: "suspended", pinnedDeploymentId: SECOND });
  },
);

test("an invocation does not move after a pause that another order has revoked", async () => {
  const { actor, id } = await underWay(false);
  await pause(actor.engine, id);
  expect(await resume(actor.engine, id, { kind: "keep" })).toBe("done");
  expect(await resume(actor.engine, id, on(SECOND))).toBe("not-movable");
});

test("a restart with stored entries that waits for its key may move once an order to pause is stored", async () => {
  const gate = new Gate();
  const stage = await open(
    { add: addCount, slow: async (ctx) => (await gate.passed, addCount(ctx)) },
    { services: [objectOf(["add", "slow"])] },
  );
  const actor = stage.actor();
  actor.startWorker();
  const first = await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add", "1")));
  const holder = callKeyed(actor, keyed("O", "k", "slow", "10"));
  await writeDeployment(stage.stores.meta, "", deployment(2, [objectOf(["add", "slow"])]), 1);
  await stage.pulse.pass(2_000);
  const restarted = await stage.pulse.within(1_000, restart(actor.engine, first.invocationId, 2, { kind: "keep" }));
  const { invocationId: id } = restarted as { invocationId: InvocationId };
  await stage.pulse.pass(1_000);
  expect(await inspect(actor.engine, id)).toMatchObject({ pinnedDeploymentId: FIRST });
  expect([await pause(actor.engine, id), await resume(actor.engine, id, on(SECOND))]).toEqual(["noted", "done"]);
  gate.open();
  await stage.pulse.within(1_000, holder);
  await stage.pulse.pass(3_000);
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "completed", pinnedDeploymentId: SECOND });
  expect(hostOf(stage)).toBe("http://host-2:9080/");
});
