/** Tests on a DynamoDB engine how invocations run, end and survive, and how processes share a table. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Result } from "../../shared/core/model/failure.ts";
import type { InvocationId } from "../../shared/core/model/ids.ts";
import { attach, output } from "../../shared/engine/ingress/attach.ts";
import { cancel } from "../../shared/engine/operate/orders.ts";
import { kill } from "../../shared/engine/recover/kill.ts";
import { completeAwakeable } from "../../shared/engine/effects/perform.ts";
import { sweep } from "../../shared/engine/sweep/sweep.ts";
import { type Play, valueOf } from "../harness/engine/budget-play.ts";
import { LEASE_MS, type Stage } from "../harness/engine/budget-stage.ts";
import { meteredStage } from "./metered-stage.ts";

const HOUR_MS = 3_600_000;
/**
 * One step of the test clock. Each step takes at least 5 ms of real time, so a lease of 10 s of the test clock lasts for seconds
 * of real time, longer than the stalls of a busy machine.
 */
const STEP_MS = 10;

const standing = meteredStage();
let stage: Stage;
let play: Play;
beforeEach(() => {
  ({ stage, play } = standing());
});

async function sent(target: string, input: unknown): Promise<InvocationId> {
  const { invocationId } = await play.send(target, input);
  play.work();
  await play.settle();
  return invocationId;
}

async function resultOf(id: InvocationId): Promise<Result> {
  const ended = await output(play.front.engine, id);
  if (ended.kind !== "ended") throw new Error(`it is ${ended.kind}`);
  return ended.result;
}

const atGate = (count: number) =>
  play.until(() => stage.deployment.atGate === count, `${count} attempts wait at the gate`);

describe("an invocation on DynamoDB", () => {
  test("answers its caller", async () => {
    expect(await play.call("Leaf/echo", "hello")).toBe("hello");
  });

  test("that is sent runs in another process, and attaching gives its result", async () => {
    const id = await sent("Leaf/steps", 3);
    expect(valueOf(await attach(play.front.engine, id))).toBe(3);
  });

  test("goes on after a sleep", async () => {
    play.work();
    expect(await play.stepUntil(play.call("Leaf/sleep", 300), STEP_MS)).toBe("slept");
  });

  test("may call down a chain", async () => {
    expect(await play.call("Caller/chain", 5)).toBe(5);
  });

  test("goes on with the result of a child that slept", async () => {
    play.work();
    expect(await play.stepUntil(play.call("Caller/sleep", 300), STEP_MS)).toBe("slept");
  });

  test("is retried until it succeeds", async () => {
    expect(await play.stepUntil(play.call("Leaf/stumble", { name: "retried", times: 3 }), STEP_MS)).toBe(4);
  });

  test("runs once for all requests with its idempotency key, at the same time and later", async () => {
    const key = { idempotencyKey: "once" };
    const first = [1, 2, 3].map(() => play.call("Leaf/stumble", { name: "once", times: 0 }, key));
    expect(await play.stepUntil(Promise.all(first), STEP_MS)).toEqual([1, 1, 1]);
    expect(await play.call("Leaf/stumble", { name: "once", times: 0 }, key)).toBe(1);
    expect(stage.deployment.executions.get("once")).toBe(1);
  });

  test("that runs in one process gives its result to an attached caller in another", async () => {
    const { invocationId } = await play.send("Leaf/atGate", "passed");
    play.work();
    await atGate(1);
    const attached = attach(play.front.engine, invocationId);
    stage.deployment.openGate();
    expect(valueOf(await play.stepUntil(attached, STEP_MS))).toBe("passed");
  });

  test("that sleeps ends with a failure when it is cancelled", async () => {
    const id = await sent("Leaf/sleep", HOUR_MS);
    expect(await cancel(play.front.engine, id)).toBe("noted");
    await play.settle();
    expect(await resultOf(id)).toMatchObject({ kind: "failure", failure: { code: 409 } });
  });

  test("that waits for its start never runs when it is cancelled", async () => {
    const { invocationId } = await play.send("Leaf/stumble", { name: "cancelled", times: 0 }, startsIn(HOUR_MS));
    expect(await cancel(play.front.engine, invocationId)).toBe("done");
    play.work();
    await play.clock.advance(HOUR_MS + 1);
    await play.settle();
    expect(stage.deployment.executions.get("cancelled")).toBeUndefined();
  });

  test("that sleeps ends at once when it is killed", async () => {
    const id = await sent("Leaf/sleep", HOUR_MS);
    expect(await kill(play.front.engine, id)).toBe("done");
    expect(await resultOf(id)).toMatchObject({ kind: "failure", failure: { code: 409, message: "killed" } });
  });

  test("that another process drives is killed, and the driver's result is discarded", async () => {
    const { invocationId } = await play.send("Leaf/atGate", "too late");
    play.work();
    await atGate(1);
    expect(await kill(play.front.engine, invocationId)).toBe("done");
    stage.deployment.openGate();
    await play.settle();
    expect(await resultOf(invocationId)).toMatchObject({ kind: "failure", failure: { message: "killed" } });
  });
});

describe("processes that share a table", () => {
  test("another process takes over a frozen driver after its lease, and committed steps are not run again", async () => {
    const { invocationId } = await play.send("Leaf/stepThenGate", "frozen");
    play.work();
    await atGate(1);
    play.worker.freeze();
    play.front.work();
    await play.clock.advance(LEASE_MS * 0.4);
    expect(stage.deployment.executions.get("frozen, after the step")).toBe(1);
    await play.clock.advance(LEASE_MS);
    const result = play.stepUntil(attach(play.front.engine, invocationId), STEP_MS);
    expect(valueOf(await result)).toBe(1);
    expect(stage.deployment.executions.get("frozen, after the step")).toBe(2);
    expect(stage.deployment.executions.get("frozen")).toBe(1);
  });

  test("the fence refuses a driver that was taken over, and this driver answers with the result of its successor", async () => {
    const answer = play.call("Leaf/stepThenGate", "thawed");
    await atGate(1);
    play.front.freeze();
    play.work();
    await play.clock.advance(LEASE_MS + 1);
    await play.until(() => stage.deployment.executions.get("thawed, after the step") === 2, "the other has followed");
    await play.settle();
    stage.deployment.openGate();
    play.front.thaw();
    expect(await play.stepUntil(answer, STEP_MS)).toBe(1);
    expect(stage.deployment.executions.get("thawed")).toBe(1);
    expect(play.front.log.lines.map(({ event }) => event)).toContain("segment.refused");
  });

  test("the sweeper finds a driver that died after it claimed a parked invocation", async () => {
    const id = await sent("Leaf/signalThenGate", null);
    const awakeable = stage.deployment.awakeables.at(-1)!;
    await completeAwakeable(play.front.engine, awakeable, { kind: "success", value: Buffer.from('"go"') });
    await atGate(1);
    play.worker.freeze();
    await play.clock.advance(LEASE_MS + 1);
    expect(await sweep(play.front.engine, play.clock.nowMs())).toEqual({ woken: 1, extended: 0 });
    play.front.work();
    await atGate(2);
    stage.deployment.openGate();
    expect(valueOf(await play.stepUntil(attach(play.front.engine, id), STEP_MS))).toBe("go");
  });
});

function startsIn(ms: number): { startAtMs: number } {
  return { startAtMs: play.clock.nowMs() + ms };
}
