/** The error of a call that must fail, with the fields that the typed client reads from its body. */
import { HttpCallError } from "@restatedev/restate-sdk-clients";
import { expect } from "vitest";

export interface CallFailure {
  readonly error: unknown;
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export async function failureOf(call: PromiseLike<unknown>): Promise<CallFailure> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HttpCallError);
  const { status, responseText } = error as HttpCallError;
  return { error, status, body: JSON.parse(responseText) as Record<string, unknown> };
}
