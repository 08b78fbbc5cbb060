/** The circuit: a service whose attempts all fail gets few attempts; all invocations go on once the service works again. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { callOn, sendOn, textOf, type Actor, type Stage } from "../../harness/engine/engine-fixture.ts";
import { rowsOf } from "../../harness/engine/statements.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const SENDS = 60;
const retry = { initialIntervalMs: 100, maxIntervalMs: 1_000, factor: 1 };

interface Health {
  isWell: boolean;
}

async function play(health: Health = { isWell: false }): Promise<{ stage: Stage; actor: Actor; health: Health }> {
  const stage = await open(
    {
      works: () => {
        if (!health.isWell) throw new Error("the database is away");
        return "done";
      },
    },
    { retry },
  );
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor, health };
}

async function sendMany(stage: Stage, actor: Actor): Promise<readonly InvocationId[]> {
  const ids: InvocationId[] = [];
  for (let n = 0; n < SENDS; n++) ids.push((await stage.pulse.within(0, sendOn(actor, "works"))).invocationId);
  return ids;
}

test("while all attempts fail, the intervals between them grow; once the service works, all invocations succeed", async () => {
  const { stage, actor, health } = await play();
  await sendMany(stage, actor);
  await stage.pulse.pass(5_000);
  const [circuit] = actor.engine.registry.circuits().values();
  expect(circuit).toMatchObject({ service: "S", reason: expect.stringContaining("the database is away") });
  const [row] = await rowsOf(actor, "select health, health_since, health_reason from sys_deployment");
  expect(row).toMatchObject({
    health: "failing",
    health_since: circuit!.sinceMs,
    health_reason: circuit!.reason,
  });
  const before = stage.deployment.attempts.length;
  await stage.pulse.pass(60_000);
  // Sixty invocations that retry each second would make 3,600 attempts.
  expect(stage.deployment.attempts.length - before).toBeLessThanOrEqual(6);
  health.isWell = true;
  await stage.pulse.pass(180_000);
  expect(actor.engine.registry.circuits().size).toBe(0);
  expect(stage.deployment.attempts.length).toBeLessThanOrEqual(before + 6 + SENDS + 3);
  expect(textOf(await stage.pulse.within(1_000, callOn(actor, "works")))).toBe("done");
  const [well] = await rowsOf(actor, "select health, health_since, last_contact_at from sys_deployment");
  expect(well).toEqual({ health: "reachable", last_contact_at: expect.any(Number) });
  expect(actor.engine.activeInvocations.size).toBe(0);
});

test("a few invocations that always fail open no circuit", async () => {
  const { stage, actor, health } = await play();
  for (let n = 0; n < 10; n++) await stage.pulse.within(0, sendOn(actor, "works"));
  await stage.pulse.pass(20_000);
  expect(actor.engine.registry.circuits().size).toBe(0);
  health.isWell = true;
  await stage.pulse.pass(2_000);
  expect(actor.engine.activeInvocations.size).toBe(0);
});

test("a kill ends an invocation behind an open circuit at once", async () => {
  const { stage, actor } = await play();
  const ids = await sendMany(stage, actor);
  await stage.pulse.pass(5_000);
  const views = await Promise.all(ids.map((one) => inspect(actor.engine, one)));
  // The order in which the store answers decides which invocations have made the few attempts.
  const view = views.find((one) => one?.status === "ready" && one.attempts === 0);
  if (view === undefined) throw new Error("every invocation has made an attempt, though the circuit is open");
  const { id } = view;
  await stage.pulse.within(1_000, kill(actor.engine, id));
  await stage.pulse.settle();
  expect(await inspect(actor.engine, id)).toBe(undefined);
});

test("a call that comes while the circuit is open is accepted, waits, and is answered once the circuit closes", async () => {
  const { stage, actor, health } = await play();
  await sendMany(stage, actor);
  await stage.pulse.pass(5_000);
  const before = stage.deployment.attempts.length;
  const called = callOn(actor, "works");
  await stage.pulse.pass(500);
  expect(stage.deployment.attempts.length - before).toBeLessThanOrEqual(1);
  health.isWell = true;
  expect(textOf(await stage.pulse.within(120_000, called))).toBe("done");
});

test("another process sees the circuit, and the two processes together make one attempt at a time", async () => {
  const { stage, actor } = await play();
  const other = stage.actor();
  await sendMany(stage, actor);
  await stage.pulse.pass(5_000);
  other.startWorker();
  await stage.pulse.pass(2_000);
  const before = stage.deployment.attempts.length;
  await stage.pulse.pass(60_000);
  expect(other.engine.registry.circuits().size).toBe(1);
  expect(stage.deployment.attempts.length - before).toBeLessThanOrEqual(6);
});
