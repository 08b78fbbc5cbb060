/** The expected form of a refusal with a code. */
import { expect } from "vitest";
import { ERRORS, type ErrorCode } from "../../shared/core/errors/error-table.ts";
import type { Answer } from "./stage.ts";

export function expectRefusal({ status, body }: Answer, code: ErrorCode, reason: RegExp): void {
  const { outcome, title } = ERRORS[code];
  expect(status).toBe(outcome.kind === "reject" ? outcome.status : undefined);
  expect(body).toEqual({ message: expect.stringContaining(`[${code}] ${title}: `), restate_code: code });
  expect(body.message).toMatch(reason);
}
