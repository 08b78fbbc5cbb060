/** The engine's stage over metered tables of a DynamoDB engine: the tables stay for a file of tests, the stage for one test. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { Play } from "../engine/budget-play.ts";
import { openStage, type Stage } from "../engine/budget-stage.ts";
import { PROJECTED } from "../engine/counted-table.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { type MeteredTable, openTable } from "./open-table.ts";

export interface MeteredStage {
  readonly journal: MeteredTable;
  readonly meta: MeteredTable;
  readonly stage: Stage;
  readonly play: Play;
}

/** To be called once by each file of tests. @returns what is there while a test runs */
export function meteredStage(): () => MeteredStage {
  let tables: Pick<MeteredStage, "journal" | "meta">;
  let now: MeteredStage;
  beforeAll(async () => {
    tables = { journal: await openTable(PROJECTED), meta: await openTable() };
  });
  afterAll(async () => {
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
