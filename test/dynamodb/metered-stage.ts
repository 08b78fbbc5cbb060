/**
 * Opens the stage of Stepwell's engine over metered tables of a DynamoDB engine. Each test has its own stage; each test or each
 * file has its own tables.
 */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { Play } from "../harness/engine/budget-play.ts";
import { openStage, type Stage } from "../harness/engine/budget-stage.ts";
import { PROJECTED } from "../harness/engine/counted-table.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { type MeteredTable, openTable } from "./open-table.ts";

export interface MeteredStage {
  readonly journal: MeteredTable;
  readonly meta: MeteredTable;
  readonly stage: Stage;
  readonly play: Play;
}

/**
 * Each file of tests calls this once.
 * @param tablesOf whether each test or each file has its own tables
 * @returns a function that gives the stage of the running test
 */
export function meteredStage(tablesOf: "file" | "test" = "file"): () => MeteredStage {
  let tables: Pick<MeteredStage, "journal" | "meta">;
  let now: MeteredStage;
  const [before, after] = tablesOf === "file" ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    tables = { journal: await openTable(PROJECTED), meta: await openTable() };
  });
  after(async () => {
    await tables.journal.close();
    await tables.meta.close();
  });
  beforeEach(async () => {
    const clock = new SteppedClock(Date.now());
    const stage = await openStage(clock, { table: tables.journal.table, meta: tables.meta.table });
    now = { ...tables, stage, play: new Play(stage, clock) };
  });
  afterEach(() => now.stage.close());
  return () => now;
}
