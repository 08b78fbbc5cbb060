/** The shapes of the write budget (docs/design.md#write-budget), those of plain services first. */
import { expect } from "vitest";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { KEYED } from "./budget-keyed-shapes.ts";
import type { Play } from "./budget-play.ts";
import { cost, sendAndWait, type Shape } from "./budget-shape.ts";
import { LEASE_MS } from "./budget-stage.ts";

/** A payload of this length fits in one write unit with its metadata. */
const LONG = "x".repeat(600);
/** Short, because a caller's segment contains the result of its child and its own output. */
const SHORT = "x".repeat(200);
const SLEEP_MS = 60_000;

export const CALLS: readonly Shape[] = [
  {
    name: "call without steps",
    sum: "2",
    design: cost(2, 1, 3),
    reads: { onPath: 0, inAll: 2 },
    play: async (play) => expect(await play.call("Leaf/echo", LONG)).toBe(LONG),
  },
  {
    name: "call with an idempotency key",
    sum: "2",
    design: cost(2, 1, 3),
    reads: { onPath: 0, inAll: 2 },
    play: async (play) => expect(await play.call("Leaf/echo", LONG, { idempotencyKey: "k" })).toBe(LONG),
  },
  {
    name: "send",
    sum: "2 + claim 1",
    design: cost(3, 1, 3),
    reads: { onPath: 2, inAll: 2 },
    play: (play) => sendAndWait(play, "Leaf/echo", LONG),
  },
  {
    name: "call with 1 run",
    sum: "2 + 1",
    design: cost(3, 1, 3),
    reads: { onPath: 0, inAll: 2 },
    play: async (play) => expect(await play.call("Leaf/steps", 1)).toBe(1),
  },
  {
    name: "call with 5 runs",
    sum: "2 + 5",
    design: cost(7, 1, 3),
    reads: { onPath: 0, inAll: 2 },
    play: async (play) => expect(await play.call("Leaf/steps", 5)).toBe(5),
  },
  {
    name: "call that fails twice",
    sum: "2 + 2 attempts",
    design: cost(4, 1, 3),
    reads: { onPath: 0, inAll: 2 },
    play: async (play) => {
      const answer = play.call("Leaf/stumble", { name: "budget", times: 2 });
      // The clock moves in steps so small that no lease is renewed during the real exchanges with the deployment.
      expect(await play.stepUntil(answer, 4)).toBe(3);
    },
  },
  {
    name: "child call, same driver",
    sum: "2 + child 2 + 1",
    design: cost(5, 2, 3),
    reads: { onPath: 0, inAll: 2 },
    play: async (play) => expect(await play.call("Caller/echo", SHORT)).toBe(SHORT),
  },
  {
    name: "chain of 3 calls, same driver",
    sum: "2 + 3 × 3",
    design: cost(11, 4, 3),
    reads: { onPath: 0, inAll: 2 },
    play: async (play) => expect(await play.call("Caller/chain", 3)).toBe(3),
  },
];

export const LEASES: readonly Shape[] = [1, 2, 3].map((renewals) => ({
  name: `call with ${renewals} lease renewal${renewals === 1 ? "" : "s"}`,
  sum: `2 + ${renewals}`,
  design: cost(2 + renewals, 1, 3),
  measured: {
    ...cost(2 + renewals + 1, 1 + 2, 3),
    why: "the first renewal enters the open index and the end leaves it (ADR 0003); the hold makes the end look for sinks",
  },
  reads: { onPath: 1, inAll: 3 },
  play: async (play: Play) => {
    const answer = play.call("Leaf/atGate", SHORT);
    const isAccepted = (): boolean => play.spent().items === 1;
    await play.until(() => isAccepted() && play.stage.deployment.atGate === 1, "the handler waits at the gate");
    for (let done = 1; done <= renewals; done++) {
      await play.clock.advance(LEASE_MS * 0.6);
      await play.until(() => play.spent().items === 1 + done, "the lease is renewed");
    }
    play.stage.deployment.openGate();
    expect(await answer).toBe(SHORT);
  },
}));

export const TAKEOVER: Shape = {
  name: "takeover from a frozen driver",
  sum: "2 + 1",
  design: cost(3, 1, 3),
  reads: { onPath: 2, inAll: 2 },
  play: async (play) => {
    // The caller waits in the frozen process.
    play.call("Leaf/atGate", SHORT).catch(() => undefined);
    // Without the backstop, which is sent beside the attempt, only a sweeper would find the invocation.
    const isOnItsWay = (): boolean => play.stage.queue.nextDueAtMs !== undefined;
    await play.until(() => play.stage.deployment.atGate === 1 && isOnItsWay(), "the handler waits at the gate");
    play.front.freeze();
    play.work();
    await play.clock.advance(LEASE_MS + 1);
    await play.until(() => play.stage.deployment.atGate === 2, "the other process has taken over");
    play.stage.deployment.openGate();
    await play.settle();
  },
};

export const PARKS: readonly Shape[] = [
  {
    name: "delayed send",
    sum: "send 3 + park 1 + end 1",
    design: cost(5, 1 + 2 + 1, 3),
    reads: { onPath: 2, inAll: 2 },
    play: async (play) => {
      await play.send("Leaf/echo", LONG, { startAtMs: play.clock.nowMs() + SLEEP_MS });
      play.work();
      await play.nextMessage();
    },
  },
  {
    name: "send that sleeps",
    sum: "send 3 + park and resume 2 + attempt 1 + end 1",
    design: cost(7, 1 + 2 + 1, 6),
    reads: { onPath: 4, inAll: 4 },
    play: async (play) => {
      await sendAndWait(play, "Leaf/sleep", SLEEP_MS);
      await play.nextMessage();
    },
  },
  {
    name: "send that sleeps twice",
    sum: "send 3 + 2 × (park and resume 2 + attempt 1) + end 1",
    design: cost(10, 1 + 4 + 1, 9),
    measured: { ...cost(10, 1 + 2 + 3 + 1, 9), why: "a second park moves the entry to another moment, which costs 2" },
    reads: { onPath: 6, inAll: 6 },
    play: async (play) => {
      await sendAndWait(play, "Leaf/sleepTwice", SLEEP_MS);
      await play.nextMessage();
      await play.nextMessage();
    },
  },
  {
    name: "send that waits for an awakeable",
    sum: "send 3 + park and resume 3 + attempt 1 + end 1",
    design: cost(8, 1 + 2 + 1, 6),
    reads: { onPath: 5, inAll: 5 },
    play: async (play) => {
      await sendAndWait(play, "Leaf/signalled", null);
      const awakeable = play.stage.deployment.awakeables.at(-1)!;
      await completeAwakeable(play.front.engine, awakeable, { kind: "success", value: Buffer.from(`"${SHORT}"`) });
      await play.settle();
    },
  },
  {
    name: "send whose child sleeps",
    sum: "send 3 + child call 3 + child: clock 2, attempt 1, end 1 + arrival 3, end 1",
    design: cost(14, 2 + 3 + 3, 9),
    reads: { onPath: 7, inAll: 7 },
    play: async (play) => {
      await sendAndWait(play, "Caller/sleep", SLEEP_MS);
      await play.nextMessage();
    },
  },
];

export const SHAPES: readonly Shape[] = [...CALLS, ...LEASES, TAKEOVER, ...PARKS, ...KEYED];
