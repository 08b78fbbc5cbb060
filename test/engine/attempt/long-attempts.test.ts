/** Attempts that stay open: a long note informs all processes on the table that the handler takes long. */
import { expect, test } from "vitest";
import { callOn, sendOn, textOf, type Actor } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const SLOW_FROM_MS = 5_000;
const DAY_MS = 86_400_000;

async function openStage(slowFromMs = SLOW_FROM_MS) {
  const gate = new Gate();
  const stage = await open(
    { hangs: () => gate.passed.then(() => "late"), quick: () => "at once" },
    { slow: { slowFromMs, slowServices: "queue" } },
  );
  const onlooker = stage.actor();
  const isSlow = async (): Promise<boolean> => {
    onlooker.engine.registry.refresh();
    await onlooker.engine.registry.services();
    return onlooker.engine.registry.isSlow("S");
  };
  return { stage, gate, isSlow, driver: stage.actor() };
}

const notes = ({ process }: Actor) =>
  process.calls.filter(({ method, args }) => method === "put" && JSON.stringify(args[0]).includes('"long#S/hangs"'));

test("an ingress driver notes a handler while its attempt is open, and keeps driving the invocation", async () => {
  const { stage, gate, isSlow, driver } = await openStage();
  const first = callOn(driver, "hangs");
  await stage.pulse.pass(SLOW_FROM_MS - 500);
  expect(await isSlow()).toBe(false);
  await stage.pulse.pass(1_000);
  expect(driver.engine.registry.isSlow("S")).toBe(true);
  expect(await isSlow()).toBe(true);
  gate.open();
  expect(textOf(await stage.pulse.within(1_000, first))).toBe("late");
  // There is no worker: the driver of the call answers.
  expect(textOf(await stage.pulse.within(1_000, callOn(stage.actor(), "hangs")))).toBe("late");
});

test("a worker with many open attempts of a handler writes one note, and no other while that note is kept", async () => {
  const { stage, isSlow, driver } = await openStage();
  for (let n = 0; n < 20; n++) await stage.pulse.within(0, sendOn(driver, "hangs"));
  driver.startWorker();
  await stage.pulse.pass(4 * SLOW_FROM_MS);
  expect(stage.deployment.attempts).toHaveLength(20);
  expect(notes(driver)).toHaveLength(1);
  expect(await isSlow()).toBe(true);
});

test("after the store has refused a note, the next attempt that stays open writes it", async () => {
  const { stage, isSlow, driver } = await openStage();
  driver.process.before = ({ method, args }) =>
    method === "put" && JSON.stringify(args[0]).includes("long#") ? Promise.reject(new Error("no")) : undefined;
  void callOn(driver, "hangs").catch(() => undefined);
  await stage.pulse.pass(2 * SLOW_FROM_MS);
  expect(await isSlow()).toBe(false);
  driver.process.before = () => undefined;
  void callOn(driver, "hangs").catch(() => undefined);
  await stage.pulse.pass(2 * SLOW_FROM_MS);
  expect(await isSlow()).toBe(true);
});

test("a quick handler never gets a note, and neither does any handler of a process that owns its store alone", async () => {
  const quick = await openStage();
  expect(textOf(await quick.stage.pulse.within(100, callOn(quick.driver, "quick")))).toBe("at once");
  await quick.stage.pulse.pass(2 * SLOW_FROM_MS);
  expect(await quick.isSlow()).toBe(false);
  const alone = await openStage(Infinity);
  void callOn(alone.driver, "hangs").catch(() => undefined);
  await alone.stage.pulse.pass(4 * SLOW_FROM_MS);
  expect(await alone.isSlow()).toBe(false);
  expect(notes(alone.driver)).toEqual([]);
});

test("the note expires after seven days", async () => {
  const { stage, gate, isSlow, driver } = await openStage();
  const first = callOn(driver, "hangs");
  await stage.pulse.pass(2 * SLOW_FROM_MS);
  gate.open();
  await stage.pulse.within(1_000, first);
  const [note] = notes(driver);
  const { expiresAtS } = note!.args[0] as { readonly expiresAtS: number };
  expect(expiresAtS * 1_000 - stage.pulse.nowMs()).toBeGreaterThan(6.9 * DAY_MS);
  expect(expiresAtS * 1_000 - stage.pulse.nowMs()).toBeLessThan(7 * DAY_MS);
  expect(await isSlow()).toBe(true);
});
