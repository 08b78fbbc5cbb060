/** One change of many invocations, from the search for them to the end of its last batch. */
import { signal } from "@preact/signals";
import { ApiProblem } from "../../data/api.ts";
import {
  advanced,
  appliesTo,
  begun,
  type BulkChange,
  type BulkProgress,
  matchingFilter,
} from "../../model/bulk-changes.ts";
import type { InvocationFilter } from "../../model/invocation-filter.ts";
import type { BulkScope } from "./bulk-bar.tsx";
import { batchSize, changeBatch, findMatching, type Matching } from "./bulk-requests.ts";

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
