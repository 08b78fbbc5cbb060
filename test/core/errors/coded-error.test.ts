/** Tests that the error table has every published code, and that errors contain their code. */
import { describe, expect, it } from "vitest";
import { CodedError, notice } from "../../../shared/core/errors/coded-error.ts";
import { ERROR_CODES, ERRORS, isErrorCode } from "../../../shared/core/errors/error-table.ts";
import type { ErrorEntry } from "../../../shared/core/errors/error-entry.ts";

/** The codes that the reference publishes. */
const META = [3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17];
const RT = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22];
/** Stepwell's own: a request without the token of the local admin API, and a schedule that cannot be kept. */
const MORE_META = [18, 901];
/** The reference's later codes: a rate limit of a deployment, the misuse of a scope, and futures nested too deep. */
const LATER_RT = [23, 24, 25];
/** Stepwell's own codes: for data directories and journals from 900 on, for deadlines and singleton keys from 910 on. */
const MORE_RT = [...LATER_RT, 900, 901, 902, 903, 910, 911, 912, 913];
const numbered = (prefix: string, numbers: number[]) => numbers.map((n) => `${prefix}${String(n).padStart(4, "0")}`);

describe("the error table", () => {
  it("has every published code, and only the additional codes of this file", () => {
    expect([...ERROR_CODES].sort()).toEqual(
      [...numbered("META", [...META, ...MORE_META]), ...numbered("RT", [...RT, ...MORE_RT])].sort(),
    );
  });

  it.each(ERROR_CODES.map((code) => [code, ERRORS[code] as ErrorEntry] as const))(
    "%s has a title, a cause and a remedy",
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

  it("distinguishes its codes from other words", () => {
    expect(isErrorCode("RT0001")).toBe(true);
    expect(isErrorCode("RT0008")).toBe(false);
    expect(isErrorCode("toString")).toBe(false);
  });
});

describe("a coded error", () => {
  it("has code, title and detail in its message", () => {
    const error = new CodedError("RT0004", "127.0.0.1:8080");
    expect(error.message).toBe("[RT0004] The address cannot be bound: 127.0.0.1:8080");
    expect(error.entry.outcome).toEqual({ kind: "refuse-start" });
  });

  it("may have no detail", () => {
    expect(new CodedError("RT0011").message).toBe("[RT0011] No deployment was found to process the invocation");
  });

  it("cannot have a code that only warns, and a notice cannot have a code that is thrown", () => {
    // @ts-expect-error RT0021 accompanies an answer and is never thrown.
    expect(new CodedError("RT0021").code).toBe("RT0021");
    // @ts-expect-error RT0011 is thrown and is never a notice.
    expect(notice("RT0011", "").code).toBe("RT0011");
  });
});
