/** One change of many invocations, from the search for them to the end of its last batch. */
import type { BatchBody } from "../../../shared/api/contract/changes.ts";
import { ApiProblem, ask, readsHaveAPrice } from "../../data/api.ts";
import { listingPages } from "../../data/listing.ts";
import {
  advanced,
  appliesTo,
  begun,
  MATCHES_MAX,
  matchingFilter,
  type BulkChange,
  type BulkProgress,
} from "../../model/bulk-changes.ts";
import { apiQuery, type InvocationFilter } from "../../model/invocation-filter.ts";
import type { ListRow } from "../../model/list-rows.ts";
import { signal } from "@preact/signals";

/** The invocations of a change: the selected rows, or all that match the filter, loaded or not. */
export type BulkScope =
  | { readonly kind: "selected"; readonly rows: readonly ListRow[] }
  | { readonly kind: "matching" };

export interface Matching {
  readonly rows: readonly ListRow[];
  /** The search stopped at a bound, so at least these match. */
  readonly mayHaveMore: boolean;
}

const PAGE = 500;
const PAGES_MAX = 200;
const BATCH = 1_000;
/**
 * If the server runs as functions, the gateway in front of them waits 30 seconds for an answer, and the server changes only
 * twenty invocations at a time.
 */
const FUNCTIONS_BATCH = 100;

/** @throws ApiProblem */
async function findMatching(
  filter: InvocationFilter,
  aborted: AbortSignal,
  onFound: (count: number) => void,
): Promise<Matching> {
  // An invocation whose status changes between two pages may be on both.
  const byId = new Map<string, ListRow>();
  const query = apiQuery(filter);
  query.set("details", "false");
  query.set("limit", String(PAGE));
  let mayHaveMore = false;
  for await (const { invocations, next } of listingPages({ query, signal: aborted }, { requestsMax: PAGES_MAX })) {
    for (const row of invocations) byId.set(row.id, row);
    onFound(byId.size);
    mayHaveMore = byId.size > MATCHES_MAX || next !== undefined;
    if (byId.size > MATCHES_MAX) break;
  }
  return { rows: [...byId.values()].slice(0, MATCHES_MAX), mayHaveMore };
}

function batchSize(): number {
  return readsHaveAPrice.peek() ? FUNCTIONS_BATCH : BATCH;
}

/** @throws ApiProblem */
async function changeBatch(change: BulkChange, ids: readonly string[]): Promise<Partial<BatchBody>> {
  const path = `internal/invocations_batch_operations/${change.route}`;
  return await ask<Partial<BatchBody>>(path, { method: "POST", body: { invocation_ids: ids } });
}

export type BulkStage =
  | { readonly kind: "finding"; readonly found: number }
  | { readonly kind: "asking"; readonly matching: Matching }
  | { readonly kind: "running" | "stopping" | "ended"; readonly matching: Matching; readonly progress: BulkProgress };

export class BulkRun {
  readonly change: BulkChange;
  /** Selects the invocations that match and can be changed. */
  readonly filter: InvocationFilter;
  readonly stage = signal<BulkStage>({ kind: "finding", found: 0 });
  readonly problem = signal<ApiProblem | undefined>(undefined);
  readonly #stopped = new AbortController();

  /** Leaves out selected rows to which the change does not apply. The dialog's question tells the user how many are left out. */
  constructor(change: BulkChange, scope: BulkScope, filter: InvocationFilter) {
    this.change = change;
    this.filter = matchingFilter(change, filter);
    if (scope.kind === "matching") return;
    const rows = scope.rows.filter(({ status }) => appliesTo(change, status));
    this.stage.value = { kind: "asking", matching: { rows, mayHaveMore: false } };
  }

  async find(): Promise<void> {
    this.problem.value = undefined;
    try {
      const matching = await findMatching(this.filter, this.#stopped.signal, (found) => {
        this.stage.value = { kind: "finding", found };
      });
      this.stage.value = { kind: "asking", matching };
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @returns the ids that the server refused to change, gave no answer about, or was never asked about */
  async run(matching: Matching): Promise<ReadonlySet<string>> {
    let progress = begun(matching.rows.map(({ id }) => id));
    this.stage.value = { kind: "running", matching, progress };
    try {
      while (progress.left.length > 0 && !this.#stopped.signal.aborted) {
        const batch = progress.left.slice(0, batchSize());
        progress = advanced(progress, batch, await changeBatch(this.change, batch));
        this.stage.value = { kind: this.#stopped.signal.aborted ? "stopping" : "running", matching, progress };
      }
    } catch (error) {
      this.#fail(error);
    }
    this.stage.value = { kind: "ended", matching, progress };
    return new Set([...progress.left, ...progress.refused.map(({ id }) => id)]);
  }

  /** Prevents further batches. The run ends once the server has answered the batch that is under way. */
  stop(): void {
    this.#stopped.abort();
    const now = this.stage.peek();
    if (now.kind === "running") this.stage.value = { ...now, kind: "stopping" };
  }

  #fail(error: unknown): void {
    if (error instanceof ApiProblem) this.problem.value = error;
    else if (!this.#stopped.signal.aborted) this.problem.value = new ApiProblem(0, String(error));
  }
}
