/** Maps failures of SQS to the StoreError of the ports. */
import { StoreError } from "../../engine/ports/table.ts";

/** @param what the request that failed, as in "send messages" */
export function storeFailure(what: string, cause: unknown): StoreError {
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new StoreError(`SQS could not ${what}: ${reason}`, { cause, lasts: isDenied(cause) });
}

/** True if a permission is missing; SQS has several names for this refusal. */
function isDenied(cause: unknown): boolean {
  return cause instanceof Error && /AccessDenied/.test(cause.name);
}
