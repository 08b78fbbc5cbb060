/** Decides when the sweeper reads the arrivals of an entry that is not due: each time that its age has doubled. */
import { textHash } from "../../core/model/text-hash.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../ports/engine-settings.ts";
import type { Item } from "../ports/table.ts";

/**
 * True where the age of an invocation has doubled since a moment; the doublings start at the check interval. A hash of the
 * id shifts the doublings, so that invocations accepted together are not all read together. For an entry without the
 * moment of acceptance (ADR 0020), the time to its next look stands in for the age, and the function is true when that
 * time has halved.
 * @param item an entry of the open index
 * @param sinceMs with -Infinity the answer is true, with a moment after `nowMs` false
 */
export function hasAged({ settings }: Engine, item: Item, sinceMs: number, nowMs: number): boolean {
  if (sinceMs === -Infinity) return true;
  const intervalMs = checkIntervalMs(settings);
  const fromMs = Number(item["createdAtMs"] ?? item["lookAtMs"]);
  const phase = textHash(item.pk) / 2 ** 32;
  const doublings = (atMs: number): number =>
    Math.floor(Math.log2(Math.max(0.5, Math.abs(atMs - fromMs) / intervalMs)) + phase);
  return sinceMs < nowMs && doublings(nowMs) !== doublings(sinceMs);
}
