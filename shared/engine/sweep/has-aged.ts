/** Decides whether the sweeper reads the arrivals of an invocation that is not due: it does when the age has doubled. */
import { textHash } from "../../core/model/text-hash.ts";
import type { Engine } from "../engine.ts";
import type { Item } from "../ports/table.ts";

/**
 * True if the age of an invocation has passed a mark since `sinceMs`. The marks are the check interval, twice the interval, four
 * times the interval, and so on. A hash of the id lowers the marks by up to a half, so that invocations accepted together are not
 * all read together.
 * @param item an entry of the open index
 * @param sinceMs a moment; the answer is true for -Infinity, and false for a moment after `nowMs`
 */
export function hasAged({ settings }: Engine, item: Item, sinceMs: number, nowMs: number): boolean {
  if (sinceMs === -Infinity) return true;
  const intervalMs = settings.checkIntervalMs;
  const fromMs = Number(item["createdAtMs"]);
  const phase = textHash(item.pk) / 2 ** 32;
  const doublings = (atMs: number): number =>
    Math.floor(Math.log2(Math.max(0.5, (atMs - fromMs) / intervalMs)) + phase);
  return sinceMs < nowMs && doublings(nowMs) !== doublings(sinceMs);
}
