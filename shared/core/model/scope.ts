/** Scopes and limit keys: a scope separates keys, ids and limits of one name; a limit key names a part of a scope. */

declare const brand: unique symbol;

/** 1 to 36 letters, digits, `_`, `.` or `-`. */
export type Scope = string & { readonly [brand]: "Scope" };
/** One or two parts, each of the form of a scope, joined by `/`. It has no meaning without a scope. */
export type LimitKey = string & { readonly [brand]: "LimitKey" };

const SCOPE = /^[a-zA-Z0-9_.-]{1,36}$/;
const LIMIT_KEY = /^[a-zA-Z0-9_.-]{1,36}(?:\/[a-zA-Z0-9_.-]{1,36})?$/;

/** The form of a scope, for messages. */
export const SCOPE_FORM = "1 to 36 letters, digits, '_', '.' or '-'";
/** The form of a limit key, for messages. */
export const LIMIT_KEY_FORM = `one part or two with a '/' between, each of ${SCOPE_FORM}`;

/** @returns undefined for a text of another form */
export function parseScope(text: string): Scope | undefined {
  return SCOPE.test(text) ? (text as Scope) : undefined;
}

/** Drops one `/` at the end, as clients of the reference server may write it. @returns undefined for a text of another form */
export function parseLimitKey(text: string): LimitKey | undefined {
  const key = text.endsWith("/") ? text.slice(0, -1) : text;
  return LIMIT_KEY.test(key) ? (key as LimitKey) : undefined;
}

/** The parts of a limit key; the second is absent in a key of one part. */
export function limitKeyParts(limitKey: LimitKey): readonly [string, string?] {
  const at = limitKey.indexOf("/");
  return at < 0 ? [limitKey] : [limitKey.slice(0, at), limitKey.slice(at + 1)];
}
