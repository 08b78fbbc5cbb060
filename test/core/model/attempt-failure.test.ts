/** Tests which parts of an attempt's failure are kept. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AttemptFailure, keptFailure, sameFailure } from "../../../shared/core/model/attempt-failure.ts";

const FAILURE: AttemptFailure = { errorCode: "RT0007", code: 500, message: "no room", atMs: 1 };

const asStored = (text = ""): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));

test("short texts are kept unchanged", () => {
  const failure = { ...FAILURE, stacktrace: "at home", relatedCommand: { index: 1, name: "pay" } };
  expect(keptFailure(failure)).toEqual(failure);
});

test("long texts are cut to their start, and no character is halved", () => {
  const message = `${"x".repeat(8191)}\u{1f600}`;
  const kept = keptFailure({ ...FAILURE, message, stacktrace: "s".repeat(4097) });
  expect(kept.message).toBe("x".repeat(8191));
  expect(kept.stacktrace).toBe("s".repeat(4096));
});

test("keeping a failure twice changes nothing more, and its texts are storable as UTF-8", () => {
  const words = fc.string({ unit: "binary", maxLength: 20_000, size: "max" });
  fc.assert(
    fc.property(words, words, (message, stacktrace) => {
      const kept = keptFailure({ ...FAILURE, message, stacktrace });
      expect(keptFailure(kept)).toEqual(kept);
      expect([kept.message, kept.stacktrace].map(asStored)).toEqual([kept.message, kept.stacktrace]);
      expect(sameFailure(kept, { ...kept, atMs: 2 })).toBe(true);
    }),
    { numRuns: 50 },
  );
});
