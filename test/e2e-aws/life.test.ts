/** Tests pause, resume, cancel, kill, purge and retention on AWS, where one function takes the orders and others drive. */
import { beforeAll, describe, expect, test } from "vitest";
import { aws, ControlPlane, pause, until } from "./control-plane.ts";
import { briefOf, Cures, faulty, lifeOf, mended } from "./life-services.ts";
import { serve } from "./url-deployment.ts";

const plane = new ControlPlane(aws.plain);
const cures = new Cures();
/** The first attempt for each of these names lasts until the test removes the name. */
const lingering = new Set<string>();
let made = 0;

beforeAll(async () => {
  const uri = await serve([lifeOf(cures, lingering), briefOf(() => ++made), faulty]);
  await plane.register({ uri });
});

describe("an invocation that fails", () => {
  test("makes no attempt while it is paused, and keeps its steps when it is resumed", async () => {
    const id = await plane.send("life/stubborn", "Ada");
    await until("it has failed", async () => (cures.attemptsOf("Ada") > 1 ? true : undefined));
    expect([200, 202]).toContain(await plane.change(id, "pause"));
    await plane.untilStatus(id, "paused");
    const attempts = cures.attemptsOf("Ada");
    // This pause is several times as long as the longest wait between the attempts so far.
    await pause(3_000);
    expect(cures.attemptsOf("Ada")).toBe(attempts);
    expect((await plane.shown(id)).last_failure?.message).toContain("Ada is ill");
    cures.cure("Ada");
    expect(await plane.change(id, "resume")).toBe(200);
    expect(await plane.result(id)).toBe("Ada kept");
    expect(cures.attemptsOf("Ada")).toBe(attempts + 1);
    expect(await plane.change(id, "pause")).toBe(409);
  });

  test("is resumed on the deployment that repairs it, and keeps its steps", async () => {
    const id = await plane.send("revised/work", undefined);
    await until("it has failed", async () => ((await plane.shown(id)).last_failure ? true : undefined));
    await plane.change(id, "pause");
    await plane.untilStatus(id, "paused");
    const pinned = (await plane.shown(id)).pinned_deployment_id;
    await plane.register({ uri: await serve([mended]) });
    expect(await plane.change(id, "resume?deployment=latest")).toBe(200);
    expect(await plane.result(id)).toBe("1 by the second revision");
    expect((await plane.shown(id)).pinned_deployment_id).not.toBe(pinned);
  });
});

test("a pause does not cut a running attempt, and holds once the attempt has failed", async () => {
  const id = await plane.send("life/lingers", "Bob");
  await until("it lingers", async () => (lingering.has("Bob") ? true : undefined));
  expect(await plane.change(id, "pause")).toBe(202);
  expect(await plane.status(id)).not.toBe("paused");
  expect(cures.attemptsOf("Bob")).toBe(0);
  lingering.delete("Bob");
  await plane.untilStatus(id, "paused");
  const attempts = cures.attemptsOf("Bob");
  expect(attempts).toBeGreaterThan(0);
  cures.cure("Bob");
  expect(await plane.change(id, "resume")).toBe(200);
  expect(await plane.result(id)).toBe("Bob");
  expect(cures.attemptsOf("Bob")).toBe(attempts + 1);
});

describe("an invocation that waits for another", () => {
  test.each([
    ["cancel", 202, "Cancelled"],
    ["kill", 200, "killed"],
  ])("ends by %s, and its child ends too", async (operation, status, word) => {
    const id = await plane.send("life/asks", undefined);
    await plane.untilStatus(id, "suspended");
    const child = await childOf(id);
    await plane.untilStatus(child, "suspended");
    expect(await plane.change(id, operation)).toBe(status);
    for (const ended of [id, child]) {
      const answer = await plane.attached(`invocation/${ended}`);
      expect([answer.status, answer.text]).toEqual([409, expect.stringContaining(word)]);
      await plane.untilStatus(ended, "completed");
    }
  });
});

test("a completed invocation is purged and then unknown; an open one is not purged", async () => {
  const ended = await plane.send("life/tells", "gone");
  const open = await plane.send("life/waits", undefined);
  expect(await plane.result(ended)).toBe("gone");
  await plane.untilStatus(ended, "completed");
  expect(await plane.change(ended, "purge")).toBe(200);
  expect((await plane.askAdmin({ path: `/invocations/${ended}` })).status).toBe(404);
  expect((await plane.ask({ path: `/restate/invocation/${ended}/output` })).status).toBe(404);
  expect(await plane.change(open, "purge")).toBe(409);
  await plane.untilStatus(open, "suspended");
  expect(await plane.change(open, "kill")).toBe(200);
});

test("an idempotency key is kept for the retention of its service, and no longer", async () => {
  const key = { "idempotency-key": "brief" };
  const first = await plane.call("brief/make", undefined, key);
  expect((await plane.call("brief/make", undefined, key)).text).toBe(first.text);
  const id = String(first.headers["x-restate-id"]);
  await until("it is forgotten", async () => {
    const { status } = await plane.ask({ path: `/restate/invocation/${id}/output` });
    return status === 404 ? true : undefined;
  });
  const again = await plane.call("brief/make", undefined, key);
  expect([again.status, Number(again.text)]).toEqual([200, Number(first.text) + 1]);
  expect(made).toBe(2);
});

/** The one child of this invocation. */
async function childOf(id: string): Promise<string> {
  const statement = `SELECT id FROM sys_invocation WHERE invoked_by_id = '${id}'`;
  return await until("its call is listed", async () => {
    const [row] = await plane.rows<{ readonly id: string }>(statement);
    return row?.id;
  });
}
