/**
 * Counts the write units of a call separately for the table and for each index, and counts its read units and messages. The call
 * runs in the harness of the write budget (`playShape`).
 */
import { join } from "node:path";
import { EmbeddedTable } from "../../shared/adapters/embedded/embedded-table.ts";
import { openStore } from "../../shared/adapters/embedded/store.ts";
import { invocationIdFromBytes, type InvocationId } from "../../shared/core/model/ids.ts";
import { listingKeys } from "../../shared/engine/store/item-keys.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { seededRandom } from "../crash/plan.ts";
import { playShape } from "../harness/engine/budget-play.ts";
import type { Shape } from "../harness/engine/budget-shape.ts";
import { SHAPES } from "../harness/engine/budget-shapes.ts";
import { PROJECTED } from "../harness/engine/counted-table.ts";
import { ReadMeter } from "../harness/engine/read-meter.ts";

/** Counts of one call or send, until its last message was received. */
export interface CallCounts {
  readonly name: string;
  readonly tableWrites: number;
  readonly listWrites: number;
  readonly openWrites: number;
  readonly readUnits: number;
  readonly messages: number;
}

export async function countCall(name: string): Promise<CallCounts> {
  const shape = SHAPES.find((each) => each.name === name);
  if (shape === undefined) throw new Error(`the write budget has no shape "${name}"`);
  return { name, ...(await played(shape)) };
}

async function played(shape: Shape): Promise<Omit<CallCounts, "name">> {
  const dir = await temporaryDirectory();
  const journal = await openStore(join(dir, "journal"), { kind: "journal" });
  const meta = await openStore(join(dir, "meta"), { kind: "meta" });
  try {
    const table = new ReadMeter(new EmbeddedTable(journal), PROJECTED);
    const { inAll } = await playShape(shape.play, { table, meta: new EmbeddedTable(meta) });
    const { items, list, open, receives } = inAll;
    return {
      tableWrites: items,
      listWrites: list,
      openWrites: open,
      readUnits: table.units,
      messages: receives,
    };
  } finally {
    await journal.close();
    await meta.close();
    await removeDirectory(dir);
  }
}

const IDS = 50_000;
const ID_BYTES = 24;

/** @returns the share of all ids in the fullest shard, if there are `indexShards` shards */
export function fullestShare(indexShards: number): number {
  const random = seededRandom(1);
  const counts = new Map<string, number>();
  for (let count = 0; count < IDS; count++) {
    const { listPk } = listingKeys({ keyPrefix: "", indexShards }, idBy(random), 0);
    counts.set(listPk, (counts.get(listPk) ?? 0) + 1);
  }
  return Math.max(...counts.values()) / IDS;
}

function idBy(random: () => number): InvocationId {
  return invocationIdFromBytes(Uint8Array.from({ length: ID_BYTES }, () => Math.floor(random() * 256)));
}
