/** What all timers promise, whatever they stand on: each ends as one message in the queue beside them. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Timers } from "../../shared/engine/ports/timers.ts";
import type { OpenQueue } from "./queue-contract.ts";
import { invocation } from "./queue-contract.ts";

export interface OpenTimers extends OpenQueue {
  readonly timers: Timers;
}

const HOUR_MS = 3_600_000;

/** Runs the whole contract, each test over timers and a queue of their own. */
export function timersContract(name: string, open: () => Promise<OpenTimers>): void {
  describe(`${name}: the timers contract`, () => {
    let opened: OpenTimers;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened.close();
    });
    const set = (name: string, n: number, inMs: number): Promise<void> =>
      opened.timers.at({ name, invocationId: invocation(n), wakeAtMs: opened.nowMs() + inMs });
    /** Waits for as many messages as expected, or for none; a timer's message goes through the disk first. */
    const fired = async (count: number): Promise<readonly string[]> => {
      const found: string[] = [];
      for (let tries = 0; tries < 100 && (found.length < count || (count === 0 && tries < 10)); tries++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        for (const { wake, receipt } of await opened.queue.receive(10, 30_000, 0)) {
          found.push(wake.invocationId);
          await opened.queue.ack(receipt);
        }
      }
      return found.sort();
    };
    firingTests(() => opened, set, fired);
    namingTests(() => opened, set, fired);
  });
}

type SetTimer = (name: string, n: number, inMs: number) => Promise<void>;
type Fired = (count: number) => Promise<readonly string[]>;

function firingTests(opened: () => OpenTimers, set: SetTimer, fired: Fired): void {
  test("a timer fires at its time and only once", async () => {
    await set("a", 1, 10 * HOUR_MS);
    await opened().advance(10 * HOUR_MS - 1);
    expect(await fired(0)).toEqual([]);
    await opened().advance(1);
    expect(await fired(1)).toEqual([invocation(1)]);
    await opened().advance(100 * HOUR_MS);
    expect(await fired(0)).toEqual([]);
  });

  test("a timer in the past fires at once", async () => {
    await set("a", 1, -5);
    await set("b", 2, 0);
    expect(await fired(2)).toEqual([invocation(1), invocation(2)].sort());
  });

  test("timers fire each at its own time, whichever was set first", async () => {
    await set("late", 1, 3 * HOUR_MS);
    await set("early", 2, HOUR_MS);
    await opened().advance(HOUR_MS);
    expect(await fired(1)).toEqual([invocation(2)]);
    await opened().advance(2 * HOUR_MS);
    expect(await fired(1)).toEqual([invocation(1)]);
  });

  test("many timers of one moment all fire", async () => {
    await Promise.all(Array.from({ length: 30 }, (_, n) => set(`t${n}`, n, HOUR_MS)));
    await opened().advance(HOUR_MS);
    expect(await fired(30)).toEqual(Array.from({ length: 30 }, (_, n) => invocation(n)).sort());
  });

  test("timers survive a restart, and those that became due meanwhile fire then", async () => {
    await set("a", 1, HOUR_MS);
    await set("b", 2, 2 * HOUR_MS);
    await opened().reopen();
    await opened().advance(HOUR_MS);
    expect(await fired(1)).toEqual([invocation(1)]);
    await opened().reopen();
    await opened().advance(HOUR_MS);
    expect(await fired(1)).toEqual([invocation(2)]);
    await opened().reopen();
    await opened().advance(HOUR_MS);
    expect(await fired(0)).toEqual([]);
  });
}

function namingTests(opened: () => OpenTimers, set: SetTimer, fired: Fired): void {
  test("the first time set for a name stays, also after a restart", async () => {
    await Promise.all([set("a", 1, 2 * HOUR_MS), set("a", 1, HOUR_MS)]);
    await set("a", 1, 3 * HOUR_MS);
    await opened().reopen();
    await set("a", 1, HOUR_MS);
    await opened().advance(HOUR_MS);
    expect(await fired(0)).toEqual([]);
    await opened().advance(HOUR_MS);
    expect(await fired(1)).toEqual([invocation(1)]);
    await opened().advance(HOUR_MS);
    expect(await fired(0)).toEqual([]);
  });

  test("a cancelled timer never fires, also after a restart", async () => {
    await set("a", 1, HOUR_MS);
    await set("b", 2, HOUR_MS);
    await opened().timers.cancel("a");
    await opened().reopen();
    await opened().advance(HOUR_MS);
    expect(await fired(1)).toEqual([invocation(2)]);
  });

  test("cancelling twice, too late or what never was is no error", async () => {
    await set("a", 1, HOUR_MS);
    await opened().timers.cancel("a");
    await opened().timers.cancel("a");
    await opened().timers.cancel("never");
    await set("b", 2, HOUR_MS);
    await opened().advance(HOUR_MS);
    expect(await fired(1)).toEqual([invocation(2)]);
    await opened().timers.cancel("b");
  });

  test("a cancelled name can be set anew", async () => {
    await set("a", 1, HOUR_MS);
    await opened().timers.cancel("a");
    await set("a", 1, 2 * HOUR_MS);
    await opened().advance(HOUR_MS);
    expect(await fired(0)).toEqual([]);
    await opened().advance(HOUR_MS);
    expect(await fired(1)).toEqual([invocation(1)]);
  });
}
