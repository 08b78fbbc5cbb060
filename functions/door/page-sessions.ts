/**
 * The session of a page of the web UI: a cookie that no script can read, and a key that the page sends as a header. Browsers send a
 * cookie of this machine to every port of it, so the cookie alone opens nothing. They keep the key for the page's own origin.
 */
import { createHmac } from "node:crypto";
import { isSame, newSecret } from "./secrets.ts";

/** A week of work without another `stepwell ui`. */
const SESSION_MS = 7 * 24 * 60 * 60 * 1000;
/** The cookie: when the session ends, in milliseconds since 1970, then a random part, then the proof. */
const COOKIE = /^(\d{13})\.([\w-]{43})\.([\w-]{43})$/;

export interface PageSession {
  readonly cookie: string;
  readonly key: string;
  readonly endsAtMs: number;
}

/** The session follows from the token, so that it outlives a restart, and ends with the token. */
export function newPageSession(token: string, nowMs: number): PageSession {
  const endsAtMs = nowMs + SESSION_MS;
  const named = `${endsAtMs}.${newSecret()}`;
  return { cookie: `${named}.${proof(token, "cookie", named)}`, key: proof(token, "key", named), endsAtMs };
}

/** Whether the token has made this cookie, and its session has not ended. */
export function isSessionCookie(token: string, cookie: string, nowMs: number): boolean {
  const [, endsAt, random, given] = COOKIE.exec(cookie) ?? [];
  if (endsAt === undefined || given === undefined || Number(endsAt) <= nowMs) return false;
  return isSame(given, proof(token, "cookie", `${endsAt}.${random}`));
}

/** @param cookie one that `isSessionCookie` accepts */
export function isSessionKey(token: string, cookie: string, key: string): boolean {
  return isSame(key, proof(token, "key", cookie.slice(0, cookie.lastIndexOf("."))));
}

function proof(token: string, of: "cookie" | "key", named: string): string {
  return createHmac("sha256", token).update(`${of} ${named}`).digest("base64url");
}
