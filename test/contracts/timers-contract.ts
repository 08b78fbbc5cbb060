/** The contract of the timers port, for every adapter: each timer ends as one message in the queue. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Nonce } from "../../shared/core/model/ids.ts";
import type { Engine } from "../../shared/engine/engine.ts";
import type { Wake } from "../../shared/engine/ports/queue.ts";
import type { Timers } from "../../shared/engine/ports/timers.ts";
import { wakeAt } from "../../shared/engine/messaging/wake.ts";
import { invocation, type OpenQueue } from "./queue-contract.ts";

export interface OpenTimers extends OpenQueue {
  readonly timers: Timers;
}

/** The times that the contract uses: a stepped clock and a real service need different ones. */
export interface TimersTiming {
  readonly unitMs: number;
  /** A timer may fire this long before its moment, but not earlier. */
  readonly marginMs: number;
  /** A timer may fire this late. */
  readonly lateMs: number;
  /** The expected messages must arrive within this number of receives, which are 5 ms apart. */
  readonly tries: number;
  /** True if calls that begin in one tick reach the timers in the order of the calls. */
  readonly keepsOrderOfCalls: boolean;
  /** True if the adapter uses names: the first timer of a name stays, and a timer can be cancelled by its name. */
  readonly knowsNames: boolean;
  /** The engine's setting: a wake nearer than this goes to the queue instead of a timer. */
  readonly queueDelayMaxMs: number;
}

const STEPPED: TimersTiming = {
  unitMs: 3_600_000,
  marginMs: 1,
  lateMs: 0,
  // Each message goes through the disk, which other processes may keep busy for seconds.
  tries: 4_000,
  keepsOrderOfCalls: true,
  knowsNames: true,
  queueDelayMaxMs: 900_000,
};

/** Runs the whole contract; each test gets its own timers and queue. */
export function timersContract(name: string, open: () => Promise<OpenTimers>, timing: TimersTiming = STEPPED): void {
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
    /** Receives until the expected number of messages has arrived; for 0, receives ten times. */
    const firedWakes = async (count: number): Promise<readonly Wake[]> => {
      const found: Wake[] = [];
      for (let tries = 0; tries < timing.tries && (found.length < count || (count === 0 && tries < 10)); tries++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        for (const { wake, receipt } of await opened.queue.receive(10, 30_000, 0)) {
          if (!(await sendOnEarly(opened, wake, timing.queueDelayMaxMs))) found.push(wake);
          await opened.queue.ack(receipt);
        }
      }
      return found;
    };
    const fired: Fired = async (count) => (await firedWakes(count)).map(({ invocationId }) => invocationId).sort();
    firingTests(() => opened, set, fired, timing);
    test("the message of a timer names the timer's service, also after a restart", async () => {
      const { unitMs, lateMs } = timing;
      const timer = { invocationId: invocation(1), wakeAtMs: opened.nowMs() + unitMs, service: "Greeter" };
      await opened.timers.at({ name: "a", ...timer });
      await opened.reopen();
      await opened.timers.at({ name: "b", ...timer, wakeAtMs: opened.nowMs() });
      expect(await firedWakes(1)).toMatchObject([{ service: "Greeter" }]);
      await opened.advance(unitMs + lateMs);
      expect(await firedWakes(1)).toMatchObject([{ service: "Greeter" }]);
    });
    if (timing.knowsNames) namingTests(() => opened, set, fired, timing);
  });
}

/** Sets a new timer or message if a timer fired early, as the engine does for an invocation that still waits. */
export async function sendOnEarly(
  opened: OpenTimers,
  { invocationId: id, wakeAtMs, service }: Wake,
  queueDelayMaxMs: number,
): Promise<boolean> {
  if (wakeAtMs === undefined || wakeAtMs <= opened.nowMs()) return false;
  const { queue, timers } = opened;
  const engine = { queue, timers, clock: { nowMs: () => opened.nowMs() }, settings: { queueDelayMaxMs } };
  const nonce = "00000000000" as Nonce;
  const to = { id, nonce, ...(service !== undefined && { target: { service } }) };
  await wakeAt(engine as unknown as Engine, to, wakeAtMs);
  return true;
}

type SetTimer = (name: string, n: number, inMs: number) => Promise<void>;
type Fired = (count: number) => Promise<readonly string[]>;

function firingTests(opened: () => OpenTimers, set: SetTimer, fired: Fired, timing: TimersTiming): void {
  const { unitMs, marginMs, lateMs } = timing;
  test("a timer fires at its moment, once", async () => {
    await set("a", 1, 2 * unitMs);
    await opened().advance(2 * unitMs - marginMs);
    expect(await fired(0)).toEqual([]);
    await opened().advance(marginMs + lateMs);
    expect(await fired(1)).toEqual([invocation(1)]);
    await opened().advance(2 * unitMs);
    expect(await fired(0)).toEqual([]);
  });

  test("a timer in the past fires at once", async () => {
    await set("a", 1, -5);
    await set("b", 2, 0);
    expect(await fired(2)).toEqual([invocation(1), invocation(2)].sort());
  });

  test("timers fire at their own moments, in any order of setting", async () => {
    await set("late", 1, 3 * unitMs);
    await set("early", 2, unitMs);
    await opened().advance(unitMs + lateMs);
    expect(await fired(1)).toEqual([invocation(2)]);
    await opened().advance(2 * unitMs);
    expect(await fired(1)).toEqual([invocation(1)]);
  });

  test("many timers of one moment all fire", async () => {
    await Promise.all(Array.from({ length: 30 }, (_, n) => set(`t${n}`, n, unitMs)));
    await opened().advance(unitMs + lateMs);
    expect(await fired(30)).toEqual(Array.from({ length: 30 }, (_, n) => invocation(n)).sort());
  });

  test("timers survive restarts, and each fires once", async () => {
    await set("a", 1, unitMs);
    await set("b", 2, 2 * unitMs);
    await opened().reopen();
    await opened().advance(unitMs + lateMs);
    expect(await fired(1)).toEqual([invocation(1)]);
    await opened().reopen();
    await opened().advance(unitMs + lateMs);
    expect(await fired(1)).toEqual([invocation(2)]);
    await opened().reopen();
    await opened().advance(unitMs);
    expect(await fired(0)).toEqual([]);
  });
}

function namingTests(opened: () => OpenTimers, set: SetTimer, fired: Fired, timing: TimersTiming): void {
  const { unitMs, lateMs, keepsOrderOfCalls } = timing;
  test("the first moment set for a name stays, also after a restart", async () => {
    const first = set("a", 1, 2 * unitMs);
    if (!keepsOrderOfCalls) await first;
    await Promise.all([first, set("a", 1, unitMs)]);
    await set("a", 1, 3 * unitMs);
    await opened().reopen();
    await set("a", 1, unitMs);
    await opened().advance(unitMs);
    expect(await fired(0)).toEqual([]);
    await opened().advance(unitMs + lateMs);
    expect(await fired(1)).toEqual([invocation(1)]);
    await opened().advance(unitMs);
    expect(await fired(0)).toEqual([]);
  });

  test("a cancelled timer never fires, also after a restart", async () => {
    await set("a", 1, unitMs);
    await set("b", 2, unitMs);
    await opened().timers.cancel("a");
    await opened().reopen();
    await opened().advance(unitMs + lateMs);
    expect(await fired(1)).toEqual([invocation(2)]);
  });

  test("no error comes from a second cancel, a cancel after the timer has fired, or a cancel of an unknown name", async () => {
    await set("a", 1, unitMs);
    await opened().timers.cancel("a");
    await opened().timers.cancel("a");
    await opened().timers.cancel("never");
    await set("b", 2, unitMs);
    await opened().advance(unitMs + lateMs);
    expect(await fired(1)).toEqual([invocation(2)]);
    await opened().timers.cancel("b");
  });

  test("a cancelled name can be set again", async () => {
    await set("a", 1, unitMs);
    await opened().timers.cancel("a");
    await set("a", 1, 2 * unitMs);
    await opened().advance(unitMs);
    expect(await fired(0)).toEqual([]);
    await opened().advance(unitMs + lateMs);
    expect(await fired(1)).toEqual([invocation(1)]);
  });
}
