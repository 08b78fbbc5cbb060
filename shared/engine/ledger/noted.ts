/** Up to which moment all that is open stands in the open index: as far as the sweeper has looked at the listing (I8). */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { idAt } from "./index-walk.ts";
import { momentOf, sweeperPk } from "./item-keys.ts";
import type { Item } from "../ports/table.ts";
import { readPartition } from "./read-partition.ts";

/** The sort key of the item in which the sweeper keeps its progress, beside `sweeperPk`. */
export const PROGRESS_SK = "listed";

export interface Noted {
  /** An open invocation accepted before this moment stands in the open index. Zero where no sweeper has run yet. */
  readonly belowMs: number;
  /** Accepted before that moment too, but the sweeper could not read them and will try again. */
  readonly except: ReadonlySet<InvocationId>;
}

/** Slices of the walk over the listing, which workers have not done yet: each stands for what lies from its place on. */
export const LISTING_SLICES = "slice#listing#";

/** One read. The caller reads the open index after it, because the sweeper writes the index first and its progress second. */
export async function readNoted({ table, settings }: Engine): Promise<Noted> {
  const range = { from: PROGRESS_SK, below: LISTING_SLICES.replace(/#$/, "$") };
  const items = await readPartition(table, sweeperPk(settings.keyPrefix), range);
  const progress: Partial<Item> = items.find(({ sk }) => sk === PROGRESS_SK) ?? {};
  const { listedFrom, fromMs, again } = progress;
  const walkedMs = typeof listedFrom === "string" ? momentOf(listedFrom) : typeof fromMs === "number" ? fromMs : 0;
  const slices = items.filter(({ sk }) => sk.startsWith(LISTING_SLICES)).map(({ from }) => momentOf(String(from)));
  return {
    belowMs: Math.min(walkedMs, ...slices),
    except: new Set(typeof again === "string" ? again.split("\n").map((text) => idAt(text.split(" ")[1] ?? "")) : []),
  };
}

/** True where the absence of an invocation from the open index does not prove that the invocation has ended. */
export function isUnnoted(
  { belowMs, except }: Noted,
  { id, createdAtMs }: { readonly id: InvocationId; readonly createdAtMs: number },
): boolean {
  return createdAtMs >= belowMs || except.has(id);
}
