/** The clock of the machine is set while messages and timers wait: messages wait for a duration, and timers for a moment. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type EmbeddedQueue, openEmbeddedQueue } from "../../../shared/adapters/embedded/embedded-queue.ts";
import { type EmbeddedTimers, openEmbeddedTimers } from "../../../shared/adapters/embedded/embedded-timers.ts";
import { lookWhenSet } from "../../../shared/adapters/embedded/look-when-set.ts";
import { openStore, type Store } from "../../../shared/adapters/embedded/store.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { Pulse } from "../../harness/engine/pulse.ts";

const HOUR_MS = 3_600_000;
const INVOCATION = "inv_1" as InvocationId;

let dir: string;
let pulse: Pulse;
let store: Store;
let queue: EmbeddedQueue;
let timers: EmbeddedTimers;
let watching: AbortController;

beforeEach(async () => {
  [dir, pulse] = [await temporaryDirectory(), new Pulse()];
  await start();
});

afterEach(async () => {
  await stop();
  await removeDirectory(dir);
});

async function start(): Promise<void> {
  store = await openStore(dir, { kind: "journal" });
  queue = await openEmbeddedQueue(store, pulse);
  timers = await openEmbeddedTimers(store, queue, pulse);
  watching = new AbortController();
  void lookWhenSet(pulse, [queue, timers], watching.signal);
}

async function stop(): Promise<void> {
  watching.abort();
  await store.close();
}

const send = (delayMs: number) => queue.send({ invocationId: INVOCATION, sentAtMs: pulse.nowMs(), delayMs });
const received = async (withinMs: number, hiddenMs = 1_000): Promise<number> =>
  (await pulse.within(withinMs, queue.receive(10, hiddenMs, withinMs - 2_000))).length;

test.each([0, 5_000])(
  "a message that is delayed by %i ms comes in time, although the clock is set back by hours",
  async (delayMs) => {
    await pulse.during(send(delayMs));
    pulse.set(-10 * HOUR_MS);
    expect(await received(10_000)).toBe(1);
  },
);

test("a message that is hidden comes again in time, although the clock is set back by hours, and not earlier", async () => {
  await pulse.during(send(0));
  expect(await received(10_000, 60_000)).toBe(1);
  pulse.set(-10 * HOUR_MS);
  expect(await received(50_000)).toBe(0);
  expect(await received(20_000)).toBe(1);
});

test("a message that was stored before the clock was set back comes within its delay after a restart", async () => {
  await pulse.during(send(5_000));
  await stop();
  pulse.set(-10 * HOUR_MS);
  await start();
  expect(await received(4_500)).toBe(0);
  expect(await received(10_000)).toBe(1);
});

test("a timer fires within seconds after the clock is set to its moment, and not before its moment if the clock is set back", async () => {
  const timer = (name: string, ms: number) =>
    timers.at({ name, invocationId: INVOCATION, wakeAtMs: pulse.nowMs() + ms });
  await pulse.during(timer("soon", HOUR_MS));
  await pulse.during(timer("late", 20 * HOUR_MS));
  pulse.set(-HOUR_MS);
  await pulse.pass(1.5 * HOUR_MS);
  expect(queue.size).toBe(0);
  pulse.set(3 * HOUR_MS);
  await pulse.pass(3_000);
  await expect.poll(() => queue.size).toBe(1);
  pulse.set(18 * HOUR_MS);
  await pulse.pass(3_000);
  await expect.poll(() => queue.size).toBe(2);
});

test("a wait in the queue looks within seconds after the clock is set forward", async () => {
  await pulse.during(send(800_000));
  const waiting = queue.receive(10, 1_000, HOUR_MS);
  await pulse.pass(5_000);
  pulse.set(HOUR_MS);
  expect(await pulse.within(3_000, waiting)).toHaveLength(1);
});
