/** Up to which moment all that is open stands in the open index: as far as the sweeper has looked at the listing (I8). */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { idAt } from "./index-walk.ts";
import { momentOf, sweeperPk } from "./item-keys.ts";
import type { Item } from "../ports/table.ts";

/** The sort key of the item in which the sweeper keeps its progress, beside `sweeperPk`. */
export const PROGRESS_SK = "listed";

export interface Noted {
  /** An open invocation accepted before this moment stands in the open index. Zero where no sweeper has run yet. */
  readonly belowMs: number;
  /** Accepted before that moment too, but the sweeper could not read them and will try again. */
  readonly except: ReadonlySet<InvocationId>;
}

/** One read. The caller reads the open index after it, because the sweeper writes the index first and its progress second. */
export async function readNoted({ table, settings }: Engine): Promise<Noted> {
  const progress: Partial<Item> = (await table.get({ pk: sweeperPk(settings.keyPrefix), sk: PROGRESS_SK })) ?? {};
  const { listedFrom, fromMs, again } = progress;
  return {
    belowMs: typeof listedFrom === "string" ? momentOf(listedFrom) : typeof fromMs === "number" ? fromMs : 0,
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
