/** The error table holds every code once, and errors say which one they are. */
import { describe, expect, it } from "vitest";
import { CodedError, notice } from "../../../shared/core/errors/coded-error.ts";
import { ERROR_CODES, ERRORS, isErrorCode } from "../../../shared/core/errors/error-table.ts";
import type { ErrorEntry } from "../../../shared/core/errors/error-entry.ts";

/** The published codes. */
const META = [3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17];
const RT = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22];
/** Ours beside them: a deployment that limits the rate of requests. */
const MORE_RT = [23];
const numbered = (prefix: string, numbers: number[]) => numbers.map((n) => `${prefix}${String(n).padStart(4, "0")}`);

describe("the error table", () => {
  it("holds every published code, and no other than those named here", () => {
    expect([...ERROR_CODES].sort()).toEqual([...numbered("META", META), ...numbered("RT", [...RT, ...MORE_RT])].sort());
  });

  it.each(ERROR_CODES.map((code) => [code, ERRORS[code] as ErrorEntry] as const))(
    "%s says what it means and what helps",
    (_code, entry) => {
      expect(entry.title).toMatch(/^[A-Z].*[^.]$/);
      expect(entry.arises).toMatch(/^[A-Z].*\.$/);
      expect(entry.remedy).toMatch(/^[A-Z].*\.$/);
      if (entry.outcome.kind === "reject") {
        expect(entry.outcome.status).toBeGreaterThanOrEqual(400);
        expect(entry.outcome.status).toBeLessThan(600);
      }
    },
  );

  it("knows its codes from other words", () => {
    expect(isErrorCode("RT0001")).toBe(true);
    expect(isErrorCode("RT0008")).toBe(false);
    expect(isErrorCode("toString")).toBe(false);
  });
});

describe("a coded error", () => {
  it("carries code, title and detail in its message", () => {
    const error = new CodedError("RT0004", "127.0.0.1:8080");
    expect(error.message).toBe("[RT0004] The address cannot be bound: 127.0.0.1:8080");
    expect(error.entry.outcome).toEqual({ kind: "refuse-start" });
  });

  it("does without a detail", () => {
    expect(new CodedError("RT0011").message).toBe("[RT0011] No deployment was found to process the invocation");
  });

  it("cannot be made of a code that only warns", () => {
    // @ts-expect-error RT0021 stands beside an answer and is never thrown.
    expect(new CodedError("RT0021").code).toBe("RT0021");
    // @ts-expect-error RT0011 is thrown and is never a notice.
    expect(notice("RT0011", "").code).toBe("RT0011");
  });
});
