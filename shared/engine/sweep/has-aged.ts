/** When what arrived for an open invocation is read although its clock is far away: each time that its age has doubled. */
import { textHash } from "../../core/model/text-hash.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../engine-settings.ts";
import type { Item } from "../ports/table.ts";

/**
 * Whether the age of an invocation has doubled since a moment, from the interval at which those without a clock are looked at.
 * Where in the doubling is its own, so that not all that were accepted together are read together. An entry that does not
 * tell the age (ADR 0020) is measured by what is left until its clock, and that it has halved.
 * @param item of the open index
 * @param sinceMs -Infinity for ever; no moment behind `nowMs` is long enough ago
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
