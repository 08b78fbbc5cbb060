/** An invocation that ends the process each time it is driven is paused, and all others go on. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { Marks } from "../../../shared/engine/local/suspects.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { beginLife, endLife } from "../../../shared/engine/sweep/begin-life.ts";
import { recover } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

/** Starts a process that owns its store alone, as the local process does. */
async function start(stage: Stage, known: (actor: Actor) => void = () => {}): Promise<Actor> {
  const actor = stage.actor({ soleOwner: true });
  known(actor);
  await stage.pulse.within(1_000, beginLife(actor.engine));
  actor.startWorker();
  // The promise never resolves if the process dies meanwhile.
  void recover(actor.engine).catch(() => undefined);
  await stage.pulse.pass(100);
  return actor;
}

test("an invocation whose handler ends the process is paused after four deaths, and its neighbours go on meanwhile", async () => {
  let driving: Actor;
  const takeOver = (actor: Actor): void => void (driving = actor);
  let isDeadly = true;
  let deaths = 0;
  const finished = new Set<string>();
  const stage = await open({
    poison: () => {
      if (!isDeadly) return "cured";
      deaths++;
      driving.die();
      return "deadly";
    },
    plain: (ctx) => {
      finished.add(ctx.input);
      return "done";
    },
    long: async (ctx) => (await ctx.get(ctx.sleep(stage.pulse.nowMs() + 3_000)), finished.add(ctx.input), "slept"),
  });
  let actor = await start(stage, takeOver);
  for (let n = 0; n < 5; n++) await stage.pulse.within(100, sendOn(actor, "long", `long ${n}`));
  const { invocationId } = await stage.pulse.within(100, sendOn(actor, "poison"));
  await stage.pulse.pass(100);
  for (let restarts = 1; restarts <= 4; restarts++) {
    expect(deaths, `before restart ${restarts}`).toBe(restarts);
    await stage.reboot();
    actor = await start(stage, takeOver);
    void sendOn(actor, "plain", `plain ${restarts}`).catch(() => undefined);
    await stage.pulse.pass(15_000);
  }
  expect(deaths).toBe(4);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({
    status: "paused",
    lastFailure: { message: expect.stringContaining("ended the process 2 times in a row") },
  });
  expect([...finished].filter((name) => name.startsWith("long"))).toHaveLength(5);
  expect(finished).toContain("plain 4");
  isDeadly = false;
  await stage.pulse.within(1_000, resume(actor.engine, invocationId, { kind: "keep" }));
  await stage.pulse.pass(5_000);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed" });
});

test("after kills of processes that drive harmless invocations, none of the invocations stays a suspect for long", async () => {
  const gate = new Gate();
  const stage = await open({ waits: async () => gate.passed.then(() => "free") });
  let actor = await start(stage);
  const ids: InvocationId[] = [];
  for (let n = 0; n < 40; n++) ids.push((await stage.pulse.within(100, sendOn(actor, "waits"))).invocationId);
  for (let kills = 0; kills < 6; kills++) {
    await stage.pulse.pass(700);
    actor.die();
    await stage.reboot();
    actor = await start(stage);
  }
  gate.open();
  await stage.pulse.pass(60_000);
  for (const id of ids) expect(await inspect(actor.engine, id)).toMatchObject({ status: "completed" });
});

test("a suspect makes progress although processes are killed again and again before they are ten seconds old", async () => {
  const gate = new Gate();
  const stage = await open({ waits: async () => gate.passed.then(() => "free") });
  let actor = await start(stage);
  const { invocationId } = await stage.pulse.within(100, sendOn(actor, "waits"));
  const kill = async (): Promise<void> => {
    await stage.pulse.pass(700);
    actor.die();
    await stage.reboot();
    actor = await start(stage);
  };
  for (let kills = 0; kills < 3; kills++) await kill();
  const suspect = (await new Marks(actor.engine).left()).get(invocationId);
  expect(suspect?.deathsAlone).toBe(1);
  gate.open();
  for (let kills = 0; kills < 5; kills++) await kill();
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed" });
});

test("after a clean end, the next process has no suspects", async () => {
  const stage = await open({ plain: () => "done" });
  const first = await start(stage);
  await stage.pulse.within(100, sendOn(first, "plain"));
  await stage.pulse.settle();
  await stage.pulse.within(1_000, endLife(first.engine));
  await stage.reboot();
  const second = await start(stage);
  expect(second.engine.activeInvocations.suspects).toBe(undefined);
});
