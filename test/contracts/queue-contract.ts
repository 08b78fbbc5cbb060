/** The contract of the queue port, for every adapter. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { invocationIdFromBytes, type InvocationId } from "../../shared/core/model/ids.ts";
import { QUEUE_DELAY_MAX_MS, type Delivery, type Queue, type Wake } from "../../shared/engine/ports/queue.ts";

export interface OpenQueue {
  readonly queue: Queue;
  nowMs(): number;
  /** Lets time pass, by waiting or by stepping a clock. */
  advance(ms: number): Promise<void>;
  /** Closes the queue and opens it again, as a restart does. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** The times that the contract uses: a stepped clock and a real service need different ones. */
export interface QueueTiming {
  readonly visibilityMs: number;
  readonly delayMs: number;
  /** A message may arrive this long before its moment, but not earlier. */
  readonly marginMs: number;
  /** A message may arrive this late. */
  readonly lateMs: number;
  /** The waiting time of a receive that gets no message. */
  readonly waitMs: number;
  /** True if the test can wait for the longest delay. */
  readonly sitsThroughTheLongestDelay: boolean;
}

const STEPPED: QueueTiming = {
  visibilityMs: 30_000,
  delayMs: 60_000,
  marginMs: 1_000,
  lateMs: 0,
  waitMs: 20_000,
  sitsThroughTheLongestDelay: true,
};

export function invocation(n: number): InvocationId {
  const bytes = new Uint8Array(24);
  new DataView(bytes.buffer).setUint32(20, n);
  return invocationIdFromBytes(bytes);
}

/** Runs the whole contract; each test gets its own queue. */
export function queueContract(name: string, open: () => Promise<OpenQueue>, timing: QueueTiming = STEPPED): void {
  describe(`${name}: the queue contract`, () => {
    let opened: OpenQueue;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened.close();
    });
    const wake = (n: number, delayMs = 0): Wake => ({ invocationId: invocation(n), sentAtMs: opened.nowMs(), delayMs });
    const receive = (limit = 10): Promise<readonly Delivery[]> => opened.queue.receive(limit, timing.visibilityMs, 0);

    deliveryTests(() => opened, wake, receive, timing);
    visibilityTests(() => opened, wake, receive, timing);
    waitingTests(() => opened, wake, timing);
    restartTests(() => opened, wake, receive, timing);
  });
}

type MakeWake = (n: number, delayMs?: number) => Wake;
type Receive = (limit?: number) => Promise<readonly Delivery[]>;

function deliveryTests(opened: () => OpenQueue, wake: MakeWake, receive: Receive, timing: QueueTiming): void {
  const { visibilityMs, delayMs, marginMs, lateMs } = timing;
  test("a message arrives as it was sent", async () => {
    const sent = wake(1);
    await opened().queue.send(sent);
    const [delivery, ...others] = await receive();
    expect(delivery).toMatchObject({ wake: sent, receiveCount: 1 });
    for (const unsaid of ["wakeAtMs", "service"]) expect(delivery!.wake).not.toHaveProperty(unsaid);
    expect(others).toEqual([]);
  });

  test.each(["Greeter", "an odd näme / \u0000\uffff 🛎", "long ".repeat(50)])(
    "a message keeps its wake moment and the service %j, even after a restart",
    async (service) => {
      const sent = { ...wake(1), wakeAtMs: opened().nowMs() + 3_600_000, service };
      await opened().queue.send(sent);
      await opened().reopen();
      expect(await receive()).toMatchObject([{ wake: sent }]);
    },
  );

  test("an empty queue returns no message", async () => {
    expect(await receive()).toEqual([]);
  });

  test("a recall affects its own message only", async () => {
    const [recalled, kept] = [wake(1, delayMs), wake(2, delayMs)];
    const handle = await opened().queue.send(recalled);
    await opened().queue.send(kept);
    await opened().queue.recall(handle);
    await opened().advance(delayMs + lateMs);
    const arrived = (await receive()).map((delivery) => delivery.wake);
    expect(arrived).toContainEqual(kept);
    // A queue that cannot remove messages still delivers the recalled message, which does no harm, because a message is a hint.
    expect(arrived.filter(({ invocationId }) => invocationId !== recalled.invocationId)).toEqual([kept]);
  });

  test("recalling a message that was received or acked has no effect", async () => {
    const handle = await opened().queue.send(wake(1));
    const [delivery] = await receive();
    await opened().queue.recall(handle);
    await opened().advance(visibilityMs + lateMs);
    const [again] = await receive();
    expect(again?.wake).toEqual(delivery?.wake);
    await opened().queue.ack(again!.receipt);
    await opened().queue.recall(handle);
    expect(await receive()).toEqual([]);
  });

  test("a delayed message stays away until its moment", async () => {
    const sent = wake(1, delayMs);
    await opened().queue.send(sent);
    await opened().advance(delayMs - marginMs);
    expect(await receive()).toEqual([]);
    await opened().advance(marginMs + lateMs);
    expect((await receive()).map((delivery) => delivery.wake)).toEqual([sent]);
  });

  test("the longest delay is accepted, a longer or negative one refused", async () => {
    await opened().queue.send(wake(1, QUEUE_DELAY_MAX_MS));
    await expect(opened().queue.send(wake(2, QUEUE_DELAY_MAX_MS + 1))).rejects.toThrow();
    await expect(opened().queue.send(wake(3, -1))).rejects.toThrow();
    await expect(opened().queue.send(wake(4, Number.NaN))).rejects.toThrow();
    if (!timing.sitsThroughTheLongestDelay) return expect(await receive()).toEqual([]);
    await opened().advance(QUEUE_DELAY_MAX_MS);
    expect((await receive()).map((delivery) => delivery.wake.invocationId)).toEqual([invocation(1)]);
  });

  test("a receive returns at most the requested number, and no message is lost", async () => {
    await Promise.all(Array.from({ length: 25 }, (_, n) => opened().queue.send(wake(n))));
    const seen: string[] = [];
    for (let round = 0; round < 5; round++) {
      const deliveries = await receive(7);
      expect(deliveries.length).toBeLessThanOrEqual(7);
      seen.push(...deliveries.map((delivery) => delivery.wake.invocationId));
    }
    expect(seen.sort()).toEqual(Array.from({ length: 25 }, (_, n) => invocation(n)).sort());
  });

  test("two messages for one invocation stay two messages", async () => {
    await Promise.all([opened().queue.send(wake(1)), opened().queue.send(wake(1))]);
    expect(await receive()).toHaveLength(2);
  });
}

function visibilityTests(opened: () => OpenQueue, wake: MakeWake, receive: Receive, timing: QueueTiming): void {
  const { visibilityMs, marginMs, lateMs } = timing;
  test("a received message is invisible, and reappears with a higher count and another receipt", async () => {
    await opened().queue.send(wake(1));
    const [first] = await receive();
    await opened().advance(visibilityMs - marginMs);
    expect(await receive()).toEqual([]);
    await opened().advance(marginMs + lateMs);
    const [second] = await receive();
    expect(second).toMatchObject({ wake: first!.wake, receiveCount: 2 });
    expect(second!.receipt).not.toBe(first!.receipt);
  });

  test("an acked message never reappears", async () => {
    await opened().queue.send(wake(1));
    const [delivery] = await receive();
    await opened().queue.ack(delivery!.receipt);
    await opened().advance(2 * visibilityMs + lateMs);
    expect(await receive()).toEqual([]);
    await opened().queue.ack(delivery!.receipt);
  });

  test("extending hides a message for the new time", async () => {
    await opened().queue.send(wake(1));
    const [delivery] = await receive();
    await opened().advance(visibilityMs - marginMs);
    await opened().queue.extend(delivery!.receipt, visibilityMs);
    await opened().advance(visibilityMs - marginMs);
    expect(await receive()).toEqual([]);
    await opened().advance(marginMs + lateMs);
    expect(await receive()).toHaveLength(1);
  });

  test("extending by 0 ms makes the message visible at once", async () => {
    await opened().queue.send(wake(1));
    const [delivery] = await receive();
    await opened().queue.extend(delivery!.receipt, 0);
    expect(await receive()).toMatchObject([{ receiveCount: 2 }]);
  });

  test("an ack after the message has reappeared has no effect on the later delivery", async () => {
    await opened().queue.send(wake(1));
    const [first] = await receive();
    await opened().advance(visibilityMs + lateMs);
    expect(await receive()).toMatchObject([{ receiveCount: 2 }]);
    await opened().queue.ack(first!.receipt);
    await opened().advance(visibilityMs + lateMs);
    expect(await receive()).toMatchObject([{ receiveCount: 3 }]);
  });

  test("a superseded receipt neither acks nor extends, and an unknown receipt is harmless", async () => {
    await opened().queue.send(wake(1));
    const [first] = await receive();
    await opened().queue.extend(first!.receipt, 0);
    const [second] = await receive();
    await opened().queue.ack(first!.receipt);
    await opened().queue.extend(first!.receipt, 0);
    expect(await receive()).toEqual([]);
    await opened().queue.extend(second!.receipt, 0);
    expect(await receive()).toMatchObject([{ receiveCount: 3 }]);
    await opened().queue.ack("no such receipt");
    await opened().queue.extend("no such receipt", 1000);
  });
}

function waitingTests(opened: () => OpenQueue, wake: MakeWake, { visibilityMs, delayMs, waitMs }: QueueTiming): void {
  test("a waiting receive ends as soon as a message is sent", async () => {
    const waiting = opened().queue.receive(10, visibilityMs, 20_000);
    await opened().queue.send(wake(1));
    expect(await waiting).toMatchObject([{ wake: { invocationId: invocation(1) } }]);
  });

  test("a waiting receive ends when the first delayed message becomes due, in any order of sending", async () => {
    await opened().queue.send(wake(1, 5_000));
    const waiting = opened().queue.receive(10, visibilityMs, 20_000);
    await opened().queue.send(wake(2, Math.max(delayMs, 10_000)));
    await opened().queue.send(wake(3, 3_000));
    await opened().advance(3_000);
    expect(await waiting).toMatchObject([{ wake: { invocationId: invocation(3) } }]);
  });

  test("a waiting receive ends when a received message becomes visible again", async () => {
    await opened().queue.send(wake(1));
    const [delivery] = await opened().queue.receive(1, visibilityMs, 0);
    const waiting = opened().queue.receive(1, visibilityMs, 20_000);
    await opened().queue.extend(delivery!.receipt, 0);
    expect(await waiting).toMatchObject([{ receiveCount: 2 }]);
  });

  test("a waiting receive ends empty when its time is up, and when it is aborted", async () => {
    const waiting = opened().queue.receive(10, visibilityMs, waitMs);
    await opened().advance(waitMs);
    expect(await waiting).toEqual([]);
    const controller = new AbortController();
    const aborted = opened().queue.receive(10, visibilityMs, 20_000, controller.signal);
    controller.abort();
    expect(await aborted).toEqual([]);
    expect(await opened().queue.receive(10, visibilityMs, 20_000, controller.signal)).toEqual([]);
  });

  test("each message goes to one of two waiting receives", async () => {
    const waiting = [1, 2].map(() => opened().queue.receive(1, visibilityMs, 20_000));
    await opened().queue.send(wake(1));
    await opened().queue.send(wake(2));
    const received = (await Promise.all(waiting)).flat().map((delivery) => delivery.wake.invocationId);
    expect(received.sort()).toEqual([invocation(1), invocation(2)].sort());
  });
}

function restartTests(opened: () => OpenQueue, wake: MakeWake, receive: Receive, timing: QueueTiming): void {
  const { visibilityMs, delayMs, lateMs } = timing;
  test("sent, delayed and received messages survive a restart, and acked messages do not reappear", async () => {
    const { queue } = opened();
    await queue.send(wake(1));
    await queue.send(wake(2));
    await queue.send(wake(3));
    const held = await receive(2);
    await queue.ack(held.find((delivery) => delivery.wake.invocationId === invocation(1))!.receipt);
    await queue.send(wake(4, visibilityMs + delayMs));
    await opened().reopen();
    await opened().advance(visibilityMs + lateMs);
    const ids = (await receive()).map((delivery) => delivery.wake.invocationId);
    expect(ids.sort()).toEqual([invocation(2), invocation(3)].sort());
    await opened().advance(delayMs);
    expect((await receive()).map((delivery) => delivery.wake.invocationId)).toContain(invocation(4));
  });

  test("messages sent after a restart do not replace older ones", async () => {
    await opened().queue.send(wake(1));
    await opened().reopen();
    await opened().queue.send(wake(2));
    await opened().reopen();
    const ids = (await receive()).map((delivery) => delivery.wake.invocationId);
    expect(ids.sort()).toEqual([invocation(1), invocation(2)].sort());
  });

  test("the count of deliveries survives a restart", async () => {
    await opened().queue.send(wake(1));
    await receive();
    await opened().reopen();
    await opened().advance(visibilityMs + lateMs);
    expect(await receive()).toMatchObject([{ receiveCount: 2 }]);
  });
}
