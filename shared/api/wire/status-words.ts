/** The words by which clients of the admin API select invocations by their status. */
import { PRESENTED } from "../../core/query/status-words.ts";

/** The values of `status` in `GET /invocations`; `open` means all but `completed`. */
export const STATUS_WORDS = ["open", ...PRESENTED] as const;

/** The values of `outcome` in `GET /invocations`: how a completed invocation ended. */
export const OUTCOME_WORDS = ["succeeded", "failed", "cancelled", "killed"] as const;
