/** The wait of a driver ends at its moment or at an interruption, even while the clock still sleeps for an earlier wait. */
import { expect, test } from "vitest";
import { DriverWait } from "../../../shared/engine/local/inbox.ts";
import { Pulse } from "../../harness/engine/pulse.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const isOver = async (wait: Promise<void>): Promise<boolean> => {
  let over = false;
  void wait.then(() => (over = true));
  await new Promise<void>((resolve) => setImmediate(resolve));
  return over;
};

test("a wait ends at its moment", async () => {
  const [clock, wait] = [new SteppedClock(), new DriverWait()];
  const waiting = wait.begin(clock, 100);
  await clock.advance(99);
  expect(await isOver(waiting)).toBe(false);
  await clock.advance(1);
  expect(await isOver(waiting)).toBe(true);
});

test("an interruption ends the present wait at once, and does not end a later wait", async () => {
  const [clock, wait] = [new SteppedClock(), new DriverWait()];
  wait.interrupt();
  const first = wait.begin(clock, 100);
  expect(await isOver(first)).toBe(false);
  wait.interrupt();
  expect(await isOver(first)).toBe(true);
  expect(await isOver(wait.begin(clock, 100))).toBe(false);
});

test("a thousand interrupted waits keep one sleep of the clock, and the next wait ends at its own moment", async () => {
  const [clock, wait] = [new SteppedClock(), new DriverWait()];
  for (let at = 0; at < 1_000; at++) {
    const waiting = wait.begin(clock, 60_000);
    wait.interrupt();
    await waiting;
    await clock.advance(1);
    expect(clock.sleeping).toBe(1);
  }
  const last = wait.begin(clock, 60_000);
  await clock.advance(59_999);
  expect(await isOver(last)).toBe(false);
  await clock.advance(1);
  expect(await isOver(last)).toBe(true);
  expect(clock.sleeping).toBe(0);
});

test("a wait ends at its own moment, although the clock still sleeps longer for the wait before it", async () => {
  const [clock, wait] = [new SteppedClock(), new DriverWait()];
  const long = wait.begin(clock, 60_000);
  wait.interrupt();
  await long;
  const short = wait.begin(clock, 10);
  expect(clock.sleeping).toBe(1);
  await clock.advance(10);
  expect(await isOver(short)).toBe(true);
});

test("a driver that has ended keeps no sleep of the clock", async () => {
  const [clock, wait] = [new SteppedClock(), new DriverWait()];
  const waiting = wait.begin(clock, 60_000);
  wait.interrupt();
  await waiting;
  wait.close();
  expect(clock.sleeping).toBe(0);
});

test("a wait ends after the time that it asked for, although the clock is set back while the sleep for an earlier wait goes on", async () => {
  const [pulse, wait] = [new Pulse(), new DriverWait()];
  const first = wait.begin(pulse, 100);
  wait.interrupt();
  await first;
  const second = wait.begin(pulse, 1_000);
  pulse.set(-3 * 3_600_000);
  await expect(pulse.within(1_100, second)).resolves.toBeUndefined();
});
