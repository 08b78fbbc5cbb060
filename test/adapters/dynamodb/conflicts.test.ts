/** Tests retries after conflicts between transactions, and that other answers are final. */
import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { pastConflicts } from "../../../shared/adapters/dynamodb/dynamodb-table.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const conflict = () => new TransactionConflictException({ message: "conflict", $metadata: {} });
const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: "cancelled",
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** Fails with each error in turn, then succeeds; counts its calls. */
function failing(...errors: Error[]): { attempt: () => Promise<string>; calls: () => number } {
  let calls = 0;
  const attempt = async (): Promise<string> => {
    const error = errors[calls++];
    if (error !== undefined) throw error;
    return "done";
  };
  return { attempt, calls: () => calls };
}

describe("a write that meets a transaction over the same item", () => {
  test("is retried until it succeeds", async () => {
    const clock = new SteppedClock();
    const { attempt, calls } = failing(conflict(), cancelled("None", "TransactionConflict"), conflict());
    const outcome = pastConflicts(clock, attempt);
    await clock.advance(10_000);
    expect(await outcome).toBe("done");
    expect(calls()).toBe(4);
  });

  test("waits between its tries", async () => {
    const clock = new SteppedClock();
    const { attempt, calls } = failing(conflict());
    const outcome = pastConflicts(clock, attempt);
    await clock.advance(1);
    expect(calls()).toBe(1);
    await clock.advance(10);
    expect(await outcome).toBe("done");
  });

  test("fails with the conflict after its last try", async () => {
    const clock = new SteppedClock();
    const { attempt, calls } = failing(...Array.from({ length: 50 }, conflict));
    const outcome = pastConflicts(clock, attempt).catch((error: unknown) => error);
    await clock.advance(60_000);
    expect(await outcome).toBeInstanceOf(TransactionConflictException);
    expect(calls()).toBe(8);
  });

  test("is not retried if a condition failed too, or if the write failed for another reason", async () => {
    const clock = new SteppedClock();
    for (const error of [
      cancelled("ConditionalCheckFailed", "TransactionConflict"),
      cancelled("ThrottlingError"),
      new Error("other"),
    ]) {
      const { attempt, calls } = failing(error, error);
      await expect(pastConflicts(clock, attempt)).rejects.toBe(error);
      expect(calls()).toBe(1);
    }
  });
});
