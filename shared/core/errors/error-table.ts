/** The table of all META and RT codes: meaning, conditions, outcome and remedy. */
import { META_ERRORS } from "./meta-errors.ts";
import { RUNTIME_ERRORS } from "./runtime-errors.ts";

export const ERRORS = { ...META_ERRORS, ...RUNTIME_ERRORS } as const;

export type ErrorCode = keyof typeof ERRORS;

/** Codes that only warn: they accompany an answer and are never thrown. */
export type WarningCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code]["outcome"]["kind"] extends "warn" ? Code : never;
}[ErrorCode];

export type ThrownCode = Exclude<ErrorCode, WarningCode>;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

/** The place of a code in the documentation. */
export function documentationOf(code: ErrorCode): string {
  return `docs/errors.md#${code.toLowerCase()}`;
}
