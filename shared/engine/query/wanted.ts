/** Decides whether an invocation matches the filter of a list or a statement, by the attributes that the indexes show. */
import type { Wanted } from "../../core/query/access.ts";
import { allows } from "../../core/query/narrowing.ts";
import { targetText } from "../../core/model/target.ts";
import type { ListingEntry } from "./listing-stream.ts";
import type { Summary } from "./open-listing.ts";

/** The caller checks the attributes that the indexes do not show. */
export function isWanted(summary: Summary, wanted: Wanted): boolean {
  const { status, deploymentId } = summary;
  return (
    wanted.statuses.has(status) &&
    (deploymentId === undefined || allows(wanted.deployment, deploymentId)) &&
    matters(summary, wanted)
  );
}

/** Checks the attributes that never change. */
export function matters(entry: ListingEntry, wanted: Wanted): boolean {
  const { service, key, scope, handler, createdAtMs } = entry;
  const { created } = wanted;
  return (
    allows(wanted.service, service) &&
    allows(wanted.handler, handler) &&
    allows(wanted.key, key) &&
    allows(wanted.scope, scope) &&
    (wanted.target === undefined || allows(wanted.target, targetText(entry))) &&
    createdAtMs >= (created?.fromMs ?? -Infinity) &&
    createdAtMs <= (created?.toMs ?? Infinity)
  );
}
