import { describe, expect, test } from "vitest";
import { advance } from "../../../shared/core/invocation/advance.ts";
import { effectsOf } from "../../../shared/core/invocation/effects.ts";
import type { Arrival } from "../../../shared/core/invocation/event.ts";
import { fold, type Status } from "../../../shared/core/invocation/invocation.ts";
import type { DeploymentId } from "../../../shared/core/model/ids.ts";
import {
  cancelArrived,
  completionArrived,
  invocationIn,
  KILL_ARRIVED,
  poll,
  NOW_MS,
  PIN,
} from "./sample-invocation.ts";

const pause = (atMs = NOW_MS, key = "opause"): Arrival => ({ kind: "pause", atMs, key });
const resume = (atMs = NOW_MS, key = "oresume", deploymentId?: string): Arrival => ({
  kind: "resume",
  atMs,
  key,
  ...(deploymentId !== undefined && { deploymentId: deploymentId as DeploymentId }),
});
const MOVING: readonly Status[] = ["ready", "running", "backing-off", "suspended"];

describe("an order to pause", () => {
  test.each(MOVING)("parks what is %s, and is listed", (status) => {
    const { next, segment, step } = advance(invocationIn(status), poll([pause()]));
    expect(step).toEqual({ kind: "park", status: "paused" });
    expect(segment).toMatchObject({ orders: ["opause"], after: { kind: "paused" }, entries: [] });
    expect(next.phase).toEqual({ status: "paused" });
    expect(next.consumed.has("opause")).toBe(true);
  });

  test.each(["scheduled", "completed"] as const)("moves nothing that is %s", (status) => {
    expect(advance(invocationIn(status), poll([pause()])).segment).toBeUndefined();
  });

  test("makes journal of what came before it, and of nothing later", () => {
    const later = { ...completionArrived(2), atMs: NOW_MS + 2 } as Arrival;
    const arrivals = [cancelArrived(), pause(NOW_MS + 1), later];
    expect(advance(invocationIn("running"), poll(arrivals)).segment!.consumed.map(({ key }) => key)).toEqual([
      "xcancel",
    ]);
  });

  test("is left standing by what is paused already, until a cancel ends the pause", () => {
    const paused = invocationIn("paused");
    expect(advance(paused, poll([pause()]))).toMatchObject({ next: paused, step: { kind: "park", status: "paused" } });
    const ended = advance(paused, poll([pause(), cancelArrived()]));
    expect(ended.segment).toMatchObject({ orders: ["opause"], consumed: [], after: { kind: "running" } });
  });

  test("yields to an order to kill", () => {
    expect(advance(invocationIn("running"), poll([pause(), KILL_ARRIVED])).step.kind).toBe("end");
  });
});

describe("an order to resume", () => {
  test.each([...MOVING, "paused"] as const)("has what is %s attempted, with a fresh budget", (status) => {
    const tired = invocationIn(status, { retries: { policyAttempts: 7, sinceEntry: 3 } });
    const { next, step } = advance(tired, poll([resume()]));
    expect(step.kind).toBe("poll");
    expect(next.retries).toEqual({ policyAttempts: 0, sinceEntry: 0 });
    expect(advance(next, poll()).step.kind).toBe("attempt");
  });

  test("and one to pause: the one given last counts, and both are spent", () => {
    const [first, second] = [NOW_MS, NOW_MS + 1];
    const on = advance(invocationIn("running"), poll([resume(second), pause(first)]));
    expect(on.segment).toMatchObject({ orders: ["opause", "oresume"], after: { kind: "running" } });
    const off = advance(invocationIn("running"), poll([resume(first), pause(second)]));
    expect(off.segment).toMatchObject({ orders: ["oresume", "opause"], after: { kind: "paused" } });
  });

  test("elsewhere changes the deployment for good, and never the protocol version", () => {
    const arrivals = [resume(NOW_MS, "o1", "dp_2"), resume(NOW_MS + 1, "o2")];
    const { next, segment } = advance(invocationIn("paused", { pin: PIN }), poll(arrivals));
    expect(segment!.pin).toEqual({ ...PIN, deploymentId: "dp_2" });
    expect(next.pin).toEqual(segment!.pin);
    expect(advance(invocationIn("paused"), poll(arrivals)).segment).not.toHaveProperty("pin");
  });

  test("has no effects, and reads back as it was decided", () => {
    const before = invocationIn("suspended", { pin: PIN });
    const { next, segment } = advance(before, poll([resume()]));
    expect(effectsOf(before, segment!)).toEqual([]);
    expect(fold(before, segment!)).toEqual(next);
  });
});
