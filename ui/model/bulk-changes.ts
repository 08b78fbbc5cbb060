/** The changes of many invocations at once: the statuses that each applies to, its effect, and the progress of a run. */
import { batchOutcomes, type BatchOutcome } from "../../shared/api/wire/batch-outcomes.ts";
import { CHANGE_STATUSES, type ChangeName } from "../../shared/api/wire/change-statuses.ts";
import type { BatchBody } from "../../shared/api/contract/changes.ts";
import type { InvocationSummaryBody } from "../../shared/api/contract/invocations.ts";
import { OUTCOME_WORDS } from "../../shared/api/wire/status-words.ts";
import type { InvocationFilter } from "./invocation-filter.ts";
import { countText } from "./size-text.ts";

export interface BulkChange {
  readonly name: ChangeName;
  readonly verb: string;
  /** The last segment of the route. */
  readonly route: string;
  /** The effect on each of the invocations. */
  readonly consequence: string;
  readonly done: string;
  /** For a change that the server has recorded and applies later. */
  readonly noted: string;
  readonly isDangerous: boolean;
}

export const BULK_CHANGES: readonly BulkChange[] = [
  {
    name: "cancel",
    verb: "Cancel",
    route: "cancel",
    consequence:
      "Each handler receives the cancellation at its next step and may undo its work. Calls that it waits for are cancelled too.",
    done: "Cancelled",
    noted: "Cancelling",
    isDangerous: true,
  },
  {
    name: "kill",
    verb: "Kill",
    route: "kill",
    consequence: "Each ends at once. Its handler is not notified and undoes nothing; its callers get a failure.",
    done: "Killed",
    noted: "Killing",
    isDangerous: true,
  },
  {
    name: "pause",
    verb: "Pause",
    route: "pause",
    consequence: "No further attempt starts until each is resumed. An attempt that runs may end first.",
    done: "Paused",
    noted: "Pausing",
    isDangerous: false,
  },
  {
    name: "resume",
    verb: "Resume",
    route: "resume",
    consequence: "Each goes on at once, on its present deployment. The count of its attempts starts over.",
    done: "Resumed",
    noted: "Resuming",
    isDangerous: false,
  },
  {
    name: "restart",
    verb: "Restart",
    route: "restart-as-new",
    consequence:
      "Each starts again as a new invocation, with the same input, on the latest deployment. The old one stays.",
    done: "Restarted",
    noted: "Restarting",
    isDangerous: false,
  },
  {
    name: "purge",
    verb: "Purge",
    route: "purge",
    consequence: "Result, journal and idempotency key of each are deleted, and cannot be brought back.",
    done: "Purged",
    noted: "Purging",
    isDangerous: true,
  },
];

/** True if the change applies to an invocation of this status. A resume also ends a back-off at once. */
export function appliesTo(change: BulkChange, status: InvocationSummaryBody["status"]): boolean {
  switch (change.name) {
    case "cancel":
    case "kill":
      return status !== "completed";
    case "pause":
      return status !== "completed" && status !== "paused";
    case "resume":
      return status === "paused" || status === "backing-off";
    case "restart":
    case "purge":
      return status === "completed";
  }
}

/**
 * The filter that a change runs with. If the given filter names no status and no outcome, the change gets those of the same
 * command of the CLI.
 */
export function matchingFilter(change: BulkChange, filter: InvocationFilter): InvocationFilter {
  if (filter.status.length > 0 || filter.outcome.length > 0) return filter;
  const words = CHANGE_STATUSES[change.name];
  const outcomes: readonly string[] = OUTCOME_WORDS;
  return {
    ...filter,
    status: words.filter((word) => !outcomes.includes(word)),
    outcome: words.filter((word) => outcomes.includes(word)),
  };
}

/** If a change is for more invocations than this, the reader confirms it by typing their number. */
export const TYPED_ABOVE = 100;
/** One run changes at most this many invocations, as in the CLI, so that the reader who confirms it can judge its extent. */
export const MATCHES_MAX = 10_000;

export interface BulkProgress {
  readonly total: number;
  readonly done: number;
  /** Recorded by the server, applied later. */
  readonly noted: number;
  readonly refused: readonly BatchOutcome[];
  /** Not asked for, because the reader stopped, or the server did not answer. */
  readonly left: readonly string[];
}

export function begun(ids: readonly string[]): BulkProgress {
  return { total: ids.length, done: 0, noted: 0, refused: [], left: ids };
}

/** @param batch the ids at the beginning of `left`, for which the server has answered */
export function advanced(progress: BulkProgress, batch: readonly string[], body: Partial<BatchBody>): BulkProgress {
  const outcomes = batchOutcomes(batch, body);
  const count = (kind: BatchOutcome["outcome"]): number => outcomes.filter(({ outcome }) => outcome === kind).length;
  const refused = outcomes.filter(({ outcome }) => outcome === "refused" || outcome === "unanswered");
  return {
    ...progress,
    done: progress.done + count("done"),
    noted: progress.noted + count("noted"),
    refused: [...progress.refused, ...refused],
    left: progress.left.slice(batch.length),
  };
}

/** `Paused 12 of 15 · Pausing 3, recorded and applied later · 2 refused · 1 left`. */
export function progressText(change: BulkChange, { total, done, noted, refused, left }: BulkProgress): string {
  const parts = [
    done === 0 && noted > 0 ? "" : `${change.done} ${countText(done)} of ${countText(total)}`,
    noted === 0 ? "" : `${change.noted} ${countText(noted)}, recorded and applied later`,
    refused.length === 0 ? "" : `${countText(refused.length)} refused`,
    left.length === 0 ? "" : `${countText(left.length)} left`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}
