/** A service whose handler never answers, with hundreds of sends, beside a quick service: the two use different queues. */
import { beforeAll, expect, test } from "vitest";
import { Gate } from "../harness/engine/gate.ts";
import { aws, ControlPlane, pause } from "./control-plane.ts";
import { serveHandlers } from "./url-deployment.ts";

const plane = new ControlPlane(aws.plain);
const SENDS = 300;
const TOGETHER = 10;
/**
 * After this time the stack has noted the hanging handler as slow. The stack has four workers of ten messages each. It notes a
 * handler as slow after three seconds, and moves a long attempt from the main lane to the slow lane after fifteen seconds.
 */
const KNOWN_AFTER_MS = 25_000;
/**
 * A send that had to wait for the slots of hanging attempts would wait for rounds of fifteen seconds, until all 300 are in the slow lane.
 * The machine's own share is measured before the attempts hang.
 */
const SERVED_WITHIN_MS = 15_000;
const TIMES_BEFORE = 5;

const gate = new Gate();

async function waitedMs(): Promise<number> {
  const sinceMs = Date.now();
  await plane.result(await plane.send("brisk/greet", "Ada"));
  return Date.now() - sinceMs;
}

beforeAll(async () => {
  const stuck = { hang: async () => (await gate.passed, "late") };
  await plane.register({ uri: await serveHandlers("stuck", stuck) });
  await plane.register({ uri: await serveHandlers("brisk", { greet: async () => "hello" }) });
});

test("a call and a send are answered", async () => {
  expect(await plane.answer("brisk/greet", "Ada")).toBe("hello");
  expect(await waitedMs()).toBeGreaterThan(0);
});

test("hundreds of sends to a handler that never answers delay no send to another service, and none of them is lost", async () => {
  const before: number[] = [];
  for (let n = 0; n < 5; n++) before.push(await waitedMs());
  const ids: string[] = [];
  while (ids.length < SENDS) {
    ids.push(...(await Promise.all(Array.from({ length: TOGETHER }, () => plane.send("stuck/hang", undefined)))));
  }
  await pause(KNOWN_AFTER_MS);
  const waits: number[] = [];
  for (let n = 0; n < 5; n++) waits.push(await waitedMs());
  console.log(`sends beside ${SENDS} that hang are answered after ${waits.join(", ")} ms`);
  expect(Math.max(...waits)).toBeLessThanOrEqual(Math.max(SERVED_WITHIN_MS, TIMES_BEFORE * Math.max(...before)));
  expect(new Set(await Promise.all(ids.slice(0, 20).map((id) => plane.status(id))))).not.toContain("completed");
  gate.open();
  for (const id of ids) expect(await plane.result(id)).toBe("late");
});
