/** The words by which clients of the admin API select invocations by their status. */

/** The values of `status` in `GET /invocations`; `open` means all but `completed`. */
export const STATUS_WORDS = [
  "open",
  "scheduled",
  "pending",
  "ready",
  "running",
  "backing-off",
  "suspended",
  "paused",
  "completed",
] as const;

/** The values of `outcome` in `GET /invocations`: how a completed invocation ended. */
export const OUTCOME_WORDS = ["succeeded", "failed", "cancelled", "killed"] as const;
