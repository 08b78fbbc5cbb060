/** Waits out conflicts with transactions over the same items, which say nothing about any condition. */
import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import type { Clock } from "../../engine/ports/clock.ts";

const TRIES = 8;
const FIRST_WAIT_MS = 10;
const WAIT_MAX_MS = 500;

/** @throws what the last try threw */
export async function pastConflicts<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === TRIES || !isConflict(error)) throw error;
    }
    // Jittered, or those who met once would meet again.
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), WAIT_MAX_MS);
    await clock.sleep(waitMs * (0.5 + Math.random() / 2));
  }
}

/** A cancelled transaction counts only where no condition of it failed: that answer stands, whatever else happened. */
function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = error.CancellationReasons?.map(({ Code }) => Code) ?? [];
  return codes.includes("TransactionConflict") && !codes.includes("ConditionalCheckFailed");
}
