/** Retries requests that conflict with a transaction over the same items: a conflict says nothing about any condition. */
import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import type { Clock } from "../../engine/ports/clock.ts";
import { type Patience, tryAgain } from "./try-again.ts";

const PATIENCE: Patience = { tries: 8, firstWaitMs: 10, waitMaxMs: 500, passes: isConflict };

/** @throws what the last try threw */
export async function pastConflicts<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  return await tryAgain(clock, PATIENCE, attempt);
}

/** A cancelled transaction in which a condition failed is no conflict: its refusal is final. */
function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = error.CancellationReasons?.map(({ Code }) => Code) ?? [];
  return codes.includes("TransactionConflict") && !codes.includes("ConditionalCheckFailed");
}
