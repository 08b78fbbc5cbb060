/** Counts what a shape asks of table, queue and schedules, on the stage of the write budget composed as on AWS. */
import { join } from "node:path";
import { EmbeddedTable } from "../../shared/adapters/embedded/embedded-table.ts";
import { openStore } from "../../shared/adapters/embedded/store.ts";
import { deflateCodec } from "../../shared/adapters/system/deflate-codec.ts";
import { sweepOnce } from "../../shared/engine/sweep/sweep.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { type Play, playShape } from "../engine/budget-play.ts";
import { PROJECTED } from "../engine/counted-table.ts";
import { ReadMeter } from "../engine/read-meter.ts";
import type { CostShape } from "./cost-shapes.ts";
import { startScriptedScheduler, type ScriptedScheduler } from "./scripted-scheduler.ts";

export interface CostCounts {
  readonly tableWrites: number;
  readonly indexWrites: number;
  readonly readUnits: number;
  readonly sends: number;
  /** Messages that workers take. */
  readonly messages: number;
  readonly schedules: number;
  /** Requests that come in over the two HTTP APIs. */
  readonly requests: number;
}

const SWEEP_EVERY_MS = 300_000;
/** The first remembers nothing, the second how far the first came. */
const SWEEPS = 2;

export function countShape({ requests, play }: CostShape): Promise<CostCounts> {
  return counted(requests, play);
}

/** What one pass of the sweeper asks of a table in which nothing is open. */
export async function countSweep(): Promise<CostCounts> {
  const counts = await counted(0, async ({ front, clock }) => {
    for (let pass = 0; pass < SWEEPS; pass++) {
      await sweepOnce(front.engine);
      await clock.advance(SWEEP_EVERY_MS);
    }
  });
  return { ...counts, tableWrites: counts.tableWrites / SWEEPS, readUnits: counts.readUnits / SWEEPS };
}

async function counted(
  requests: number,
  play: (play: Play, scheduler: ScriptedScheduler) => Promise<void>,
): Promise<CostCounts> {
  const dir = await temporaryDirectory();
  const journal = await openStore(join(dir, "journal"), { kind: "journal" });
  const meta = await openStore(join(dir, "meta"), { kind: "meta" });
  const scheduler = await startScriptedScheduler();
  try {
    const table = new ReadMeter(new EmbeddedTable(journal), PROJECTED);
    const parts = { codec: deflateCodec, timers: scheduler.timers };
    const tables = { table, meta: new EmbeddedTable(meta) };
    const { inAll } = await playShape((on) => play(on, scheduler), tables, undefined, parts);
    return {
      tableWrites: inAll.items,
      indexWrites: inAll.list + inAll.open,
      readUnits: table.units,
      sends: inAll.sends,
      messages: inAll.receives,
      schedules: scheduler.fired,
      requests,
    };
  } finally {
    await scheduler.stop();
    await journal.close();
    await meta.close();
    await removeDirectory(dir);
  }
}
