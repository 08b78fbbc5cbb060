/** Tests the sweeper on a DynamoDB engine: its stored progress, and the cost of its looks. */
import { beforeEach, expect, test } from "vitest";
import { sweeperPk } from "../../shared/engine/store/item-keys.ts";
import { sweepAll, sweepOnce } from "../../shared/engine/sweep/sweep.ts";
import type { Play } from "../harness/engine/budget-play.ts";
import { complete } from "../harness/engine/ended-invocations.ts";
import { EngineProcess } from "../harness/engine/engine-process.ts";
import { Pulse } from "../harness/engine/pulse.ts";
import { plantListed, plantOpen, wokenBy } from "../harness/engine/planted.ts";
import { meteredStage } from "./metered-stage.ts";
import type { MeteredTable } from "./open-table.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ENDED = 800;

const standing = meteredStage();
let journal: MeteredTable;
let play: Play;
beforeEach(async () => {
  ({ journal, play } = standing());
  await journal.table.delete({ pk: sweeperPk(""), sk: "listed" });
});

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

test("passes that begin with no time left still finish every walk, because each takes one entry of each walk", async () => {
  const { engine } = play.front;
  const process = new EngineProcess(new Pulse());
  const sweeper = { ...engine, queue: process.watch("queue", engine.queue) };
  const nowMs = play.clock.nowMs();
  const old = await plantListed(
    journal.table,
    engine,
    numbers(5).map((at) => nowMs - 2 * DAY_MS + at),
  );
  const listed = await plantListed(
    journal.table,
    engine,
    numbers(4).map((at) => nowMs - 15 * MINUTE_MS + at),
  );
  const due = numbers(4).map((at) => ({ status: "backing-off" as const, lookAtMs: nowMs - at }));
  const left = numbers(3).map((at) => ({ status: "running" as const, lookAtMs: nowMs + DAY_MS + at, untilMs: 1 }));
  const open = await plantOpen(journal.table, engine, [...due, ...left]);
  expect(await sweepAll(sweeper, nowMs)).toMatchObject({ unfinished: true });
  const remembered = async () => (await journal.table.query(sweeperPk(""))).items.map(({ sk }) => sk);
  expect(await remembered()).toEqual(["everything", "listed"]);
  let passes = 0;
  for (let isOver = false; !isOver && passes < 40; passes++) {
    await play.clock.advance(MINUTE_MS);
    await sweepOnce(sweeper, play.clock.nowMs());
    const woken = new Set(wokenBy({ process }));
    isOver = [...old, ...listed, ...open].every((id) => woken.has(id)) && !(await remembered()).includes("everything");
  }
  expect(passes).toBeLessThan(40);
});

test("a look at an ended invocation costs little more than a read unit", async () => {
  const { engine } = play.front;
  await complete(journal.table, engine, ENDED, MINUTE_MS);
  await play.clock.advance(10 * MINUTE_MS);
  const from = journal.consumed.length;
  await sweepOnce(engine);
  const consumed = journal.consumed.slice(from);
  const units = consumed.reduce(
    (sum, { tableUnits, indexUnits }) => sum + tableUnits + indexUnits.list + indexUnits.open,
    0,
  );
  // One `getMany` covers fifty entries. Every third invocation took several attempts, so a look at it also queries its partition.
  const count = (name: string) => consumed.filter(({ operation }) => operation === name).length;
  expect(count("getMany")).toBe(ENDED / 50);
  expect(count("query")).toBeLessThan(ENDED / 3 + 10);
  expect(units).toBeGreaterThan(ENDED);
  expect(units / ENDED).toBeLessThan(1.5);
});
