/** Retries requests that DynamoDB refuses because they conflict with a transaction over the same items. */
import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import type { Clock } from "../../engine/ports/clock.ts";
import { type Patience, tryAgain } from "./try-again.ts";

const PATIENCE: Patience = { tries: 8, firstWaitMs: 10, waitMaxMs: 500, passes: isConflict };

/** @throws the error of the last try */
export async function pastConflicts<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  return await tryAgain(clock, PATIENCE, attempt);
}

/** If a condition of a cancelled transaction failed, the refusal is final, even if another item was in conflict. */
function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = error.CancellationReasons?.map(({ Code }) => Code) ?? [];
  return codes.includes("TransactionConflict") && !codes.includes("ConditionalCheckFailed");
}
