import { describe, expect, test } from "vitest";
import { advance } from "../../../shared/core/invocation/advance.ts";
import { effectsOf } from "../../../shared/core/invocation/effects.ts";
import type { Arrival } from "../../../shared/core/invocation/event.ts";
import { fold, type Invocation, type Status } from "../../../shared/core/invocation/invocation.ts";
import type { DeploymentId } from "../../../shared/core/model/ids.ts";
import {
  cancelArrived,
  completionArrived,
  invocationIn,
  KILL_ARRIVED,
  LATER_MS,
  poll,
  NOW_MS,
  PIN,
} from "./sample-invocation.ts";

const pause = (atMs = NOW_MS, key = "opause"): Arrival => ({ kind: "pause", atMs, key });
const resume = (atMs = NOW_MS, key = "oresume", deploymentId?: string): Arrival => ({
  kind: "resume",
  atMs,
  key,
  ...(deploymentId !== undefined && { move: { deploymentId: deploymentId as DeploymentId, protocolVersion: 5 } }),
});
const MOVING: readonly Status[] = ["scheduled", "pending", "ready", "running", "backing-off", "suspended"];
const BEGUN: readonly Status[] = ["running", "backing-off", "suspended"];
const NOT_BEGUN: readonly Status[] = ["scheduled", "pending", "ready"];

/** An invocation that an operator has paused in this status, as a load finds it. */
function pausedIn(status: Status): Invocation {
  const waiting = invocationIn(status);
  const later = status === "scheduled" && { acceptance: { ...waiting.acceptance, startAtMs: LATER_MS } };
  return advance({ ...waiting, ...later }, poll([pause()])).next;
}

describe("an order to pause", () => {
  test.each(MOVING)("parks a %s invocation, and its segment lists the order", (status) => {
    const { next, segment, step } = advance(invocationIn(status), poll([pause()]));
    expect(step).toEqual({ kind: "park", status: "paused" });
    expect(segment).toMatchObject({ orders: ["opause"], after: { kind: "paused" }, entries: [] });
    expect(next.phase).toEqual({ status: "paused" });
    expect(next.consumed.has("opause")).toBe(true);
  });

  test("has no effect on a completed invocation", () => {
    expect(advance(invocationIn("completed"), poll([pause()])).segment).toBeUndefined();
  });

  test.each(MOVING)(
    "takes a %s invocation out of the queue of its key if no attempt has begun, and has no other effect",
    (status) => {
      const exclusive = (one: Invocation): Invocation => ({
        ...one,
        acceptance: { ...one.acceptance, handlerType: "exclusive" },
      });
      const before = exclusive(invocationIn(status));
      const effects = effectsOf(before, advance(before, poll([pause()])).segment!);
      expect(effects).toEqual(NOT_BEGUN.includes(status) ? [{ kind: "leave-queue" }] : []);
    },
  );

  test("consumes the arrivals before it, and no later one", () => {
    const later = { ...completionArrived(2), atMs: NOW_MS + 2 } as Arrival;
    const arrivals = [cancelArrived(), pause(NOW_MS + 1), later];
    expect(advance(invocationIn("running"), poll(arrivals)).segment!.consumed.map(({ key }) => key)).toEqual([
      "xcancel",
    ]);
  });

  test.each([
    ["to pause", pause()],
    ["to resume", resume()],
  ])("%s consumes a result that only the driver has, whenever it came", (_, order) => {
    const stored = { ...completionArrived(2), atMs: NOW_MS + 2 } as Extract<Arrival, { kind: "notification" }>;
    const unstored = { ...stored, consumption: { ...stored.consumption, inline: true } };
    expect(stored.consumption.inline).toBe(false);
    expect(advance(invocationIn("running"), poll([order, unstored])).segment!.consumed.map(({ key }) => key)).toEqual([
      "c2",
    ]);
  });

  test("has no effect on a paused invocation, and is listed in the segment of the cancel that ends the pause", () => {
    const paused = invocationIn("paused");
    expect(advance(paused, poll([pause()]))).toMatchObject({ next: paused, step: { kind: "park", status: "paused" } });
    const ended = advance(paused, poll([pause(), cancelArrived()]));
    expect(ended.segment).toMatchObject({ orders: ["opause"], consumed: [], after: { kind: "running" } });
  });

  test("that comes after a cancel consumes the cancel, and the invocation stays paused", () => {
    const { segment } = advance(invocationIn("paused"), poll([cancelArrived(), pause(NOW_MS + 1)], NOW_MS + 1));
    expect(segment).toMatchObject({ orders: ["opause"], consumed: [{ key: "xcancel" }], after: { kind: "paused" } });
  });

  test("yields to an order to kill", () => {
    expect(advance(invocationIn("running"), poll([pause(), KILL_ARRIVED])).step.kind).toBe("end");
  });
});

describe("a cancel", () => {
  test.each(NOT_BEGUN)("ends an invocation that was paused while %s before its first attempt", (status) => {
    const { segment } = advance(pausedIn(status), poll([cancelArrived()]));
    expect(segment!.after).toMatchObject({ kind: "completed", tombstone: true, killed: false });
  });

  test.each(BEGUN)("resumes an invocation that was paused while %s", (status) => {
    expect(advance(pausedIn(status), poll([cancelArrived()])).step.kind).toBe("attempt");
  });
});

describe("an order to resume", () => {
  test.each([
    ["scheduled", { kind: "park", status: "scheduled" }],
    ["pending", { kind: "acquire" }],
    ["ready", { kind: "attempt" }],
  ] as const)("returns an invocation that was paused while %s to that status", (status, step) => {
    const { next, segment } = advance(pausedIn(status), poll([resume(NOW_MS + 1)], NOW_MS + 1));
    expect(segment!.after).toEqual({ kind: "ready" });
    expect(advance(next, poll([], NOW_MS + 2)).step).toMatchObject(step);
    expect(advance(next, poll([cancelArrived()], NOW_MS + 2)).segment?.after).toMatchObject({ tombstone: true });
  });

  test("begins an attempt of an invocation that was paused while scheduled, if its scheduled moment has passed", () => {
    const { next } = advance(pausedIn("scheduled"), poll([resume(LATER_MS + 1)], LATER_MS + 1));
    expect(advance(next, poll([], LATER_MS + 1)).step.kind).toBe("attempt");
  });

  test.each([...BEGUN, "paused"] as const)("starts an attempt of a %s invocation, and resets its retries", (status) => {
    const tired = invocationIn(status, { retries: { policyAttempts: 7, sinceEntry: 3 } });
    const { next, step } = advance(tired, poll([resume()]));
    expect(step.kind).toBe("poll");
    expect(next.retries).toEqual({ policyAttempts: 0, sinceEntry: 0 });
    expect(advance(next, poll()).step.kind).toBe("attempt");
  });

  test("given together with an order to pause: the later one decides, and both are consumed", () => {
    const [first, second] = [NOW_MS, NOW_MS + 1];
    const on = advance(invocationIn("running"), poll([resume(second), pause(first)]));
    expect(on.segment).toMatchObject({ orders: ["opause", "oresume"], after: { kind: "running" } });
    const off = advance(invocationIn("running"), poll([resume(first), pause(second)]));
    expect(off.segment).toMatchObject({ orders: ["oresume", "opause"], after: { kind: "paused" } });
  });

  test("on another deployment changes the pin for good, but not the protocol version", () => {
    const arrivals = [resume(NOW_MS, "o1", "dp_2"), resume(NOW_MS + 1, "o2")];
    const { next, segment } = advance(invocationIn("paused", { pin: PIN }), poll(arrivals));
    expect(segment!.pin).toEqual({ ...PIN, deploymentId: "dp_2" });
    expect(next.pin).toEqual(segment!.pin);
    const unpinned = advance(invocationIn("paused"), poll(arrivals)).segment!;
    expect(unpinned.pin).toEqual({ deploymentId: "dp_2", protocolVersion: 5 });
  });

  test("has no effects, and folding its segment gives the same invocation", () => {
    const before = invocationIn("suspended", { pin: PIN });
    const { next, segment } = advance(before, poll([resume()]));
    expect(effectsOf(before, segment!)).toEqual([]);
    expect(fold(before, segment!)).toEqual(next);
  });
});
