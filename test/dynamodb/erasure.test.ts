/** A kill before the first attempt and a purge, on DynamoDB: no text of the input is left, in records as stored and as inflated. */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deflateCodec } from "../../shared/adapters/system/deflate-codec.ts";
import type { InvocationId } from "../../shared/core/model/ids.ts";
import { cancel } from "../../shared/engine/operate/orders.ts";
import { purge } from "../../shared/engine/operate/purge.ts";
import { kill } from "../../shared/engine/recover/kill.ts";
import { Play } from "../harness/engine/budget-play.ts";
import { openStage, type Stage } from "../harness/engine/budget-stage.ts";
import { PROJECTED } from "../harness/engine/counted-table.ts";
import { placesOf } from "../harness/engine/inflated-store.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { type MeteredTable, openTable } from "./open-table.ts";

const HOUR_MS = 3_600_000;
const MARK = "the-diary-of-ada";
const SMALL = `${MARK} `.repeat(500);
const LARGE = SMALL + randomBytes(400_000).toString("base64");

let journal: MeteredTable;
let meta: MeteredTable;
let stage: Stage;
let play: Play;
beforeEach(async () => {
  [journal, meta] = [await openTable(PROJECTED), await openTable()];
  const clock = new SteppedClock(Date.now());
  stage = await openStage(clock, { table: journal.table, meta: meta.table }, { codec: deflateCodec });
  play = new Play(stage, clock);
});
afterEach(async () => {
  await stage.close();
  await journal.close();
  await meta.close();
});

const sent = async (target: string, input: unknown, more: { startAtMs?: number } = {}): Promise<InvocationId> =>
  (await play.send(target, input, { ...more, headers: [{ key: "x-about", value: MARK }] })).invocationId;

const WAITING: Readonly<Record<string, () => Promise<InvocationId>>> = {
  "a delayed call": () => sent("Leaf/echo", SMALL, { startAtMs: play.clock.nowMs() + HOUR_MS }),
  "a delayed call with a large input": () => sent("Leaf/echo", LARGE, { startAtMs: play.clock.nowMs() + HOUR_MS }),
  "a delayed run of a workflow": () => sent("Approval/w/run", SMALL, { startAtMs: play.clock.nowMs() + HOUR_MS }),
  "a call that waits for its key": async () => {
    await play.send("Register/k/sleep", HOUR_MS);
    play.work();
    await play.settle();
    return await sent("Register/k/set", LARGE);
  },
};
const CASES = Object.keys(WAITING).flatMap((what) => (["kill", "cancel"] as const).map((how) => [what, how] as const));

test.each(CASES)("%s leaves nothing of its content after a %s", async (what, how) => {
  const id = await WAITING[what]!();
  expect((await placesOf(journal.table, MARK)).length, "it is stored").toBeGreaterThan(0);
  await { kill, cancel }[how](play.front.engine, id);
  expect(await placesOf(journal.table, MARK)).toEqual([]);
  expect(await purge(play.front.engine, id)).toBe("done");
  const { items } = await journal.table.query(`inv#${id}`);
  expect(items.map((item) => item["tombstone"])).toEqual([true]);
  expect(await purge(play.front.engine, id)).toBe("unknown");
});

test("a purge leaves nothing of an invocation that ran", async () => {
  const { invocationId } = await play.send("Leaf/echo", LARGE);
  play.work();
  await play.settle();
  expect((await placesOf(journal.table, MARK)).length, "it is stored").toBeGreaterThan(0);
  expect(await purge(play.front.engine, invocationId)).toBe("done");
  expect(await placesOf(journal.table, MARK)).toEqual([]);
});
