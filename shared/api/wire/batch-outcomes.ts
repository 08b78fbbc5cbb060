/** The outcome of a batch for each invocation that the client asked for. */
import type { BatchBody } from "../contract/changes.ts";

/** `noted`: the server applies the change later. `unanswered`: the server did not answer, or was not asked. */
export type OutcomeKind = "done" | "noted" | "refused" | "unanswered";

export interface BatchOutcome {
  readonly id: string;
  readonly outcome: OutcomeKind;
  /** The reason of a refusal. */
  readonly message?: string;
  /** The id of the new invocation after a restart. */
  readonly new_invocation_id?: string;
}

/** @returns an outcome for each id of the batch: an id that the answer leaves out is unanswered */
export function batchOutcomes(ids: readonly string[], body: Partial<BatchBody> | undefined): readonly BatchOutcome[] {
  const { succeeded = [], failed = [], noted = [] } = body ?? {};
  const later = new Set(noted);
  const kindOf = (id: string): OutcomeKind => (later.has(id) ? "noted" : "done");
  const answered = [
    ...succeeded.map((one): BatchOutcome => {
      if (typeof one === "string") return { id: one, outcome: kindOf(one) };
      const { old_invocation_id: id, new_invocation_id } = one;
      return { id, outcome: kindOf(id), new_invocation_id };
    }),
    ...failed.map(({ invocation_id: id, error: message }): BatchOutcome => ({ id, outcome: "refused", message })),
  ];
  const byId = new Map(answered.map((one) => [one.id, one]));
  return ids.map((id) => byId.get(id) ?? { id, outcome: "unanswered" });
}
