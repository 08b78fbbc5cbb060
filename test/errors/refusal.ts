/** What a refusal with a code looks like from outside. */
import { expect } from "vitest";
import { ERRORS } from "../../shared/core/errors/error-table.ts";
import type { ErrorCode } from "../../shared/core/errors/error-table.ts";
import type { Answer } from "./stage.ts";

/** The status is that of the table, and the message begins with the code and its title. */
export function expectRefusal({ status, body }: Answer, code: ErrorCode, reason: RegExp): void {
  const { outcome, title } = ERRORS[code];
  expect(status).toBe(outcome.kind === "reject" ? outcome.status : undefined);
  expect(body).toEqual({ message: expect.stringContaining(`[${code}] ${title}: `), restate_code: code });
  expect(body.message).toMatch(reason);
}
