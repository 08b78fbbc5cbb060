/** Loads an invocation from segment 0 and segment 1 alone, if segment 1 ended it: most invocations end in segment 1. */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { StorePorts } from "./store-ports.ts";
import { AbsentArrivalError } from "./segment-record.ts";
import { assemble, type Loaded } from "./load.ts";
import { reassemble } from "./large-record.ts";
import { isInPieces } from "./record-envelope.ts";
import type { Item } from "../ports/table.ts";

/**
 * Reads neither the lease record nor fresh arrivals, because neither changes an end.
 * @param first segment 0
 * @param second segment 1 of the same life
 * @returns undefined if segment 1 is not the end, or if the two items do not contain all of the invocation
 */
export async function endedAtFirst(
  engine: StorePorts,
  id: InvocationId,
  first: Item,
  second: Item,
): Promise<Loaded | undefined> {
  const nonce = first["n"] as Nonce;
  if (second["end"] !== true || second["endAlone"] === true || !second.sk.startsWith(`seg#${nonce}#`)) return undefined;
  if (isInPieces(first["b"]) || isInPieces(second["b"])) return undefined;
  const items = await reassemble(engine, [first, second], nonce);
  try {
    return assemble(id, first.pk, items[0]!, items, []);
  } catch (error) {
    if (error instanceof AbsentArrivalError) return undefined;
    throw error;
  }
}
