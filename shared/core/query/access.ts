/** Plans a query about invocations: it reads them by id, from the open index, or from the listing between two moments. */
import { allows, type Bound, type Narrowing } from "./narrowing.ts";
import { PRESENTED, statusIn, type Presented, type StatusWords } from "./status-words.ts";

export type Access =
  /** Loads each invocation by its id. */
  | { readonly kind: "ids"; readonly ids: readonly string[] }
  /** Reads the open index, which contains no completed invocations. */
  | { readonly kind: "open" }
  | { readonly kind: "listing"; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: "nothing" };

/** Filters on columns that the indexes contain. A walk over an index loads only invocations that match. */
export interface Wanted {
  readonly statuses: ReadonlySet<Presented>;
  readonly service: Bound | undefined;
  readonly key: Bound | undefined;
  readonly scope: Bound | undefined;
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
  // Only an ended invocation has an outcome.
  const isEnded = narrowing.get("outcome")?.in !== undefined;
  const wanted: Wanted = {
    statuses: new Set(
      PRESENTED.filter(
        (presented) => allows(status, statusIn(words, presented)) && (!isEnded || presented === "completed"),
      ),
    ),
    service: narrowing.get("target_service_name"),
    key: narrowing.get("target_service_key"),
    scope: narrowing.get("scope"),
    handler: narrowing.get("target_handler_name"),
    target: narrowing.get("target"),
    deployment: narrowing.get("pinned_deployment_id"),
    created,
  };
  return { access: accessOf(narrowing.get("id"), wanted), wanted };
}

/** True if a filter other than the status is set. */
export function isNarrowed({ service, key, scope, handler, target, deployment, created }: Wanted): boolean {
  return [service, key, scope, handler, target, deployment, created].some((bound) => bound !== undefined);
}

function accessOf(id: Bound | undefined, { statuses, created }: Wanted): Access {
  const [fromMs, toMs] = [created?.fromMs ?? 0, created?.toMs ?? Infinity];
  if (statuses.size === 0 || fromMs > toMs) return { kind: "nothing" };
  if (id?.in !== undefined) return { kind: "ids", ids: id.in };
  return statuses.has("completed") ? { kind: "listing", fromMs, toMs } : { kind: "open" };
}
