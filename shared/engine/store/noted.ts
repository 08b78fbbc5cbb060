/**
 * Reads how far the sweeper has walked the listing. With few exceptions, the open index contains all open invocations up to
 * there (I8).
 */
import type { InvocationId } from "../../core/model/ids.ts";
import type { StorePorts } from "./store-ports.ts";
import { idAt } from "./index-walk.ts";
import { momentOfPlace, sweeperPk } from "./item-keys.ts";
import type { Item } from "../ports/table.ts";
import { readPartition } from "./read-partition.ts";

/** The sort key of the item with the sweeper's progress; its partition is `sweeperPk`. */
export const PROGRESS_SK = "listed";

export interface Noted {
  /** Open invocations that were accepted before this moment are in the open index. Zero before the first pass. */
  readonly belowMs: number;
  /** The exceptions: earlier invocations that the sweeper could not read and will try again. */
  readonly except: ReadonlySet<InvocationId>;
}

/** The prefix of the items of unfinished slices of the walk over the listing. A slice starts at its own position, `from`. */
export const LISTING_SLICES = "slice#listing#";

/** Costs one read. The caller must read the open index afterwards, because the sweeper writes its progress after the index. */
export async function readNoted({ table, settings }: StorePorts): Promise<Noted> {
  const range = { from: PROGRESS_SK, below: LISTING_SLICES.replace(/#$/, "$") };
  const items = await readPartition(table, sweeperPk(settings.keyPrefix), range);
  const progress: Partial<Item> = items.find(({ sk }) => sk === PROGRESS_SK) ?? {};
  const { listedFrom, again } = progress;
  const walkedMs = typeof listedFrom === "string" ? momentOfPlace(listedFrom) : 0;
  const slices = items.filter(({ sk }) => sk.startsWith(LISTING_SLICES)).map(({ from }) => momentOfPlace(String(from)));
  return {
    belowMs: Math.min(walkedMs, ...slices),
    except: new Set(typeof again === "string" ? again.split("\n").map((text) => idAt(text.split(" ")[1] ?? "")) : []),
  };
}

/** True if the absence of an invocation from the open index does not prove that the invocation has ended. */
export function isUnnoted(
  { belowMs, except }: Noted,
  { id, createdAtMs }: { readonly id: InvocationId; readonly createdAtMs: number },
): boolean {
  return createdAtMs >= belowMs || except.has(id);
}
