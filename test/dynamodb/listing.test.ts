/** Compares the cost of a page of the list, as a DynamoDB engine reports it, with the model that other tests use. */
import { beforeEach, expect, test } from "vitest";
import { listInvocations, OPEN_STATUSES } from "../../shared/engine/query/list-invocations.ts";
import type { Play } from "../harness/engine/budget-play.ts";
import { PROJECTED } from "../harness/engine/counted-table.ts";
import { complete } from "../harness/engine/ended-invocations.ts";
import { ReadMeter } from "../harness/engine/read-meter.ts";
import { meteredStage } from "./metered-stage.ts";
import type { MeteredTable } from "./open-table.ts";
import type { Narrowing } from "../../shared/core/query/narrowing.ts";
import { narrowed } from "../harness/engine/narrowed.ts";

const HOUR_MS = 3_600_000;
const ENDED = 600;
const OPEN = 12;

const standing = meteredStage();
let journal: MeteredTable;
let play: Play;
beforeEach(() => {
  ({ journal, play } = standing());
});

test("a page takes at most three queries of the indexes, and its read units stay below a bound and near the model", async () => {
  for (let i = 0; i < OPEN; i++) await play.send("Leaf/sleep", HOUR_MS);
  // Workers start after the sends: a message that overtakes its acceptance is put back, and the clock of this test does not move.
  play.work();
  await play.settle();
  const { engine } = play.front;
  await complete(journal.table, engine, ENDED, HOUR_MS);
  const filters: [string, Narrowing, number, number][] = [
    ["everything", new Map(), 100, 100],
    ["open", narrowed({ status: OPEN_STATUSES }), OPEN, 435],
    ["suspended", narrowed({ status: ["suspended"] }), OPEN, 3],
    ["of a service", narrowed({ target_service_name: ["S"] }), 100, 100],
  ];
  for (const [name, filter, count, unitsMax] of filters) {
    const meter = new ReadMeter(journal.table, PROJECTED);
    const from = journal.consumed.length;
    const { invocations } = await listInvocations({ ...engine, table: meter }, filter, { limit: 100 });
    const consumed = journal.consumed.slice(from);
    const units = consumed.reduce((sum, { tableUnits, indexUnits }) => {
      return sum + tableUnits + indexUnits.list + indexUnits.open;
    }, 0);
    expect(invocations.length, name).toBe(count);
    expect(consumed.filter(({ operation }) => operation === "queryIndex").length, name).toBeLessThanOrEqual(3);
    expect(units, name).toBeLessThanOrEqual(unitsMax);
    // The model differs from DynamoDB only by the overhead of an index entry.
    expect(Math.abs(units - meter.units), `${name}: ${units} reported, ${meter.units} by the model`).toBeLessThan(3);
  }
});
