/** Tests that no wake is lost between a park and an arrival (I3, I4): each play puts the arrival before a different port call. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { type Actor, callOn, Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";

/** An upper bound: no handler of this file makes its driver call ports so often. */
const POINTS_MAX = 60;

interface Point {
  readonly text: string;
  /** False if the driver came to rest without an n-th call of a port; the interruption then came after all calls. */
  readonly wasInterrupted: boolean;
  readonly attempts: number;
}

/**
 * Plays a call in one process; another process interrupts before the n-th port call that follows the start of the first attempt.
 */
async function play(handler: Handler, n: number, interrupt: (other: Actor, id: string) => Promise<unknown>) {
  const stage = await Stage.open({ waits: handler });
  try {
    const [driver, other] = [stage.actor(), stage.actor()];
    let count = 0;
    driver.process.before = ({ port, method }) => {
      const [first] = stage.deployment.attempts;
      if (first === undefined || method === "receive" || port === "meta" || count++ !== n) return undefined;
      return interrupt(other, first.start.debugId).then(() => undefined);
    };
    driver.startWorker();
    const result = callOn(driver, "waits");
    await stage.pulse.settle();
    const wasInterrupted = count > n;
    if (!wasInterrupted) await interrupt(other, stage.deployment.attempts[0]!.start.debugId);
    const text = textOf(await stage.pulse.within(5_000, result));
    return { text, wasInterrupted, attempts: stage.deployment.attempts.length } satisfies Point;
  } finally {
    await stage.close();
  }
}

async function playEverywhere(handler: Handler, interrupt: (other: Actor, id: string) => Promise<unknown>) {
  const points: Point[] = [];
  for (let n = 0; n < POINTS_MAX; n++) {
    const point = await play(handler, n, interrupt);
    points.push(point);
    if (!point.wasInterrupted) return points;
  }
  throw new Error("the driver never came to rest");
}

const waitForStranger: Handler = async (ctx) => {
  const { result } = ctx.awakeable();
  await ctx.get(ctx.run("before", () => "ran"));
  return `${await ctx.get(result)} came`;
};

const idBytes = new Map<string, Uint8Array>();
const remember =
  (handler: Handler): Handler =>
  (ctx) => {
    idBytes.set(ctx.id, ctx.journal.start.id);
    return handler(ctx);
  };

test("a completion of an awakeable at any point on the way to the park resumes the invocation without the sweeper", async () => {
  const value = { kind: "success", value: new TextEncoder().encode("it") } as const;
  const points = await playEverywhere(remember(waitForStranger), (other, id) =>
    completeAwakeable(other.engine, encodeAwakeableId(idBytes.get(id)!, 17), value),
  );
  expect(points.length).toBeGreaterThanOrEqual(6);
  expect(points.map(({ text }) => text)).toEqual(points.map(() => "it came"));
  for (const { attempts } of points) expect(attempts).toBeLessThanOrEqual(4);
});

test("a cancel at any point on the way to the park reaches the handler", async () => {
  const points = await playEverywhere(waitForStranger, (other, id) => cancel(other.engine, id as InvocationId));
  expect(points.length).toBeGreaterThanOrEqual(6);
  expect(points.map(({ text }) => text)).toEqual(points.map(() => "409 Cancelled"));
});

test("a kill at any point on the way to the park ends the invocation", async () => {
  const points = await playEverywhere(waitForStranger, (other, id) => kill(other.engine, id as InvocationId));
  expect(points.length).toBeGreaterThan(3);
  expect(points.map(({ text }) => text)).toEqual(points.map(() => "409 killed"));
});
