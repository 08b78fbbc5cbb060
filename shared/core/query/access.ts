/** Chooses the index for a query about invocations: their ids, the open index, or the listing between two moments. */
import { allows, type Bound, type Narrowing } from "./narrowing.ts";
import { PRESENTED, statusIn, type Presented, type StatusWords } from "./status-words.ts";

export type Access =
  /** Each invocation is loaded by its id. */
  | { readonly kind: "ids"; readonly ids: readonly string[] }
  /** The open index contains no completed invocation. */
  | { readonly kind: "open" }
  | { readonly kind: "listing"; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: "nothing" };

/** Filters on columns that the indexes contain, so that a row outside the filter is never loaded. */
export interface Wanted {
  readonly statuses: ReadonlySet<Presented>;
  readonly service: Bound | undefined;
  readonly key: Bound | undefined;
  readonly handler: Bound | undefined;
  readonly target: Bound | undefined;
  readonly deployment: Bound | undefined;
  readonly created: Bound | undefined;
}

export interface InvocationPlan {
  readonly access: Access;
  readonly wanted: Wanted;
}

export function planInvocations(narrowing: Narrowing, words: StatusWords): InvocationPlan {
  const status = narrowing.get("status");
  const created = narrowing.get("created_at");
  const wanted: Wanted = {
    statuses: new Set(PRESENTED.filter((presented) => allows(status, statusIn(words, presented)))),
    service: narrowing.get("target_service_name"),
    key: narrowing.get("target_service_key"),
    handler: narrowing.get("target_handler_name"),
    target: narrowing.get("target"),
    deployment: narrowing.get("pinned_deployment_id"),
    created,
  };
  return { access: accessOf(narrowing.get("id"), wanted), wanted };
}

/** True if more than the status filters rows. */
export function isNarrowed({ service, key, handler, target, deployment, created }: Wanted): boolean {
  return [service, key, handler, target, deployment, created].some((bound) => bound !== undefined);
}

function accessOf(id: Bound | undefined, { statuses, created }: Wanted): Access {
  const [fromMs, toMs] = [created?.fromMs ?? 0, created?.toMs ?? Infinity];
  if (statuses.size === 0 || fromMs > toMs) return { kind: "nothing" };
  if (id?.in !== undefined) return { kind: "ids", ids: id.in };
  return statuses.has("completed") ? { kind: "listing", fromMs, toMs } : { kind: "open" };
}
