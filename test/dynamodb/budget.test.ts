/** Tests the write budget (docs/design.md#write-budget) against the consumption that a DynamoDB engine reports. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { accountText, expectCost } from "../harness/engine/budget-account.ts";
import { playShape, type Played } from "../harness/engine/budget-play.ts";
import type { Shape } from "../harness/engine/budget-shape.ts";
import { SHAPES } from "../harness/engine/budget-shapes.ts";
import { PROJECTED } from "../harness/engine/counted-table.ts";
import { type MeteredTable, openTable } from "./open-table.ts";

const NOTHING = { items: 0, list: 0, open: 0, readUnits: 0 };
const READS = new Set(["get", "query", "queryIndex"]);

describe("the write budget on DynamoDB", () => {
  const rows: { shape: Shape; played: Played }[] = [];
  let journal: MeteredTable;
  let meta: MeteredTable;
  // A process that a test leaves behind may still read, so each test gets its own tables.
  beforeEach(async () => {
    journal = await openTable(PROJECTED);
    meta = await openTable();
  });
  afterEach(async () => {
    await journal.close();
    await meta.close();
  });
  afterAll(() => console.log(accountText(rows)));

  test.each(SHAPES.map((shape) => [shape.name, shape] as const))("%s", async (_name, shape) => {
    let reported = NOTHING;
    const tables = { table: journal.table, meta: meta.table };
    const { onPath, inAll, told } = await playShape(shape.play, tables, () => (reported = reportedBy(journal)));
    const { list, open } = reported;
    // The answer to a refused write does not contain its consumption, which is one unit.
    const items = reported.items + inAll.refused;
    const played = { onPath, inAll: { ...inAll, items, list, open }, told };
    rows.push({ shape, played });
    expectCost(shape, played);
    // The stage computes the units in the same way for every store; here they must equal the units that DynamoDB reports.
    const { items: counted, reads: readUnits } = inAll;
    expect({ ...reported, items }).toEqual({ items: counted, list: inAll.list, open: inAll.open, readUnits });
  });
});

/** Adds up the consumption that DynamoDB reported with its answers. */
function reportedBy({ consumed }: MeteredTable) {
  const reported = { ...NOTHING };
  for (const { operation, tableUnits, indexUnits } of consumed) {
    if (READS.has(operation)) {
      reported.readUnits += tableUnits;
      continue;
    }
    reported.items += tableUnits;
    reported.list += indexUnits.list;
    reported.open += indexUnits.open;
  }
  return reported;
}
