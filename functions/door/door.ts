/**
 * The door of a listener that acts with the rights of an operator: it lets a request in that brings the token, or the session of a
 * page that a one-time code has opened, and refuses requests of other web pages whatever they bring.
 */
import type { HttpRequest, HttpResponse } from "../../shared/api/http/message.ts";
import { jsonResponse } from "../../shared/api/http/message.ts";
import { PAGE_KEY_HEADER } from "../../shared/api/wire/door.ts";
import type { DoorErrorBody, SessionBody, SignInCodeBody } from "../../shared/api/wire/door.ts";
import { remedyOf } from "../../shared/api/wire/remedies.ts";
import { isFromOtherPage } from "./other-page.ts";
import { isSessionCookie, isSessionKey, newPageSession } from "./page-session.ts";
import { isSame } from "./secrets.ts";
import { sessionCookie, setSessionCookie } from "./session-cookie.ts";
import { CODE_MS, SignInCodes } from "./sign-in-codes.ts";
import { noSessionPage, signedInPage } from "./sign-in-pages.ts";

/** No service has such a name, so these paths are free at an ingress too. */
const CODES = "/-/sign-in-codes";
const SIGN_IN = "/-/sign-in";
const SESSION = "/-/session";

const NO_TOKEN = "META0018";
/** No cache keeps an answer with a secret. */
const UNSTORED = { "cache-control": "no-store" };

/** A request as the door sees it, before its body is read. */
export type Knock = Pick<HttpRequest, "method" | "path" | "query" | "headers">;

/** @returns the answer to a request that stays outside; undefined for one that may pass */
export type Door = (knock: Knock) => HttpResponse | undefined;

export interface DoorRules {
  readonly token: string;
  readonly nowMs: () => number;
  /** Requests that need neither a token nor a session, also those of other pages. */
  readonly isOpen: (knock: Knock) => boolean;
  /** Requests that the cookie of a session opens, because the page cannot send its key with them. */
  readonly isPageFile: (knock: Knock) => boolean;
  /** Says where the token is; follows the title of META0018. */
  readonly whereTokenIs: string;
  /** Present if the answers are those of a proxy, so that a client does not take them for those of the server behind it. */
  readonly source?: DoorErrorBody["source"];
}

export function doorOf(rules: DoorRules): Door {
  const codes = new SignInCodes();
  return (knock) => {
    if (rules.isOpen(knock)) return undefined;
    const nowMs = rules.nowMs();
    // A link to the code may be on a page, such as that of a terminal in a browser. The code is used up by the first request.
    if (knock.path === SIGN_IN && knock.method === "GET") return signIn(rules, codes, knock, nowMs);
    if (isFromOtherPage(knock.headers)) return refused(rules, 403, "Another web page may not send requests here");
    const hasToken = bringsToken(knock.headers, rules.token);
    if (hasToken && knock.path === CODES && knock.method === "POST") return newCode(codes, nowMs);
    if (hasToken && knock.path === SESSION && knock.method === "POST") return newSession(rules, knock, nowMs);
    return hasToken || hasSession(rules, knock, nowMs) ? undefined : unknownCaller(rules, knock);
  };
}

function bringsToken({ authorization = "" }: Knock["headers"], token: string): boolean {
  const [, scheme = "", value = ""] = /^(bearer|basic) +([\w.~+/=-]+)$/i.exec(authorization) ?? [];
  // Programs turn an address such as http://proxy:<token>@127.0.0.1:9070/ into the form `basic`.
  const given = scheme.toLowerCase() === "basic" ? passwordIn(value) : value;
  return given !== "" && isSame(given, token);
}

function passwordIn(basic: string): string {
  const text = Buffer.from(basic, "base64").toString("utf8");
  const at = text.indexOf(":");
  return at < 0 ? "" : text.slice(at + 1);
}

function hasSession({ token, isPageFile }: DoorRules, knock: Knock, nowMs: number): boolean {
  const cookie = sessionCookie(knock.headers);
  if (cookie === undefined || !isSessionCookie(token, cookie, nowMs)) return false;
  if (isPageFile(knock)) return knock.headers["sec-fetch-site"] !== undefined;
  const key = knock.headers[PAGE_KEY_HEADER];
  return key !== undefined && isSessionKey(token, cookie, key);
}

function newCode(codes: SignInCodes, nowMs: number): HttpResponse {
  const expiresAt = new Date(nowMs + CODE_MS).toISOString();
  const body: SignInCodeBody = { code: codes.make(nowMs), expires_at: expiresAt };
  return jsonResponse(201, body, UNSTORED);
}

function newSession({ token }: DoorRules, { headers }: Knock, nowMs: number): HttpResponse {
  const { cookie, key, endsAtMs } = newPageSession(token, nowMs);
  const body: SessionBody = { key, expires_at: new Date(endsAtMs).toISOString() };
  return jsonResponse(201, body, { ...UNSTORED, "set-cookie": setSessionCookie(headers, cookie, endsAtMs - nowMs) });
}

function signIn({ token }: DoorRules, codes: SignInCodes, { headers, query }: Knock, nowMs: number): HttpResponse {
  const asked = new URLSearchParams(query);
  if (!codes.take(asked.get("code") ?? "", nowMs)) return noSessionPage(403, "This link was used, or is too old.");
  const { cookie, key, endsAtMs } = newPageSession(token, nowMs);
  const cookies = { "set-cookie": setSessionCookie(headers, cookie, endsAtMs - nowMs) };
  return signedInPage({ key, route: asked.get("to") ?? "" }, { ...UNSTORED, ...cookies });
}

/** A browser that loads a page shows the text of the answer, and a program reads JSON. */
function unknownCaller(rules: DoorRules, { headers }: Knock): HttpResponse {
  if (headers["sec-fetch-mode"] === "navigate") return noSessionPage(401, "This address needs a sign-in.");
  const { title } = remedyOf(NO_TOKEN)!;
  const message = `[${NO_TOKEN}] ${title}: ${rules.whereTokenIs}`;
  return refused(rules, 401, message, NO_TOKEN, { "www-authenticate": 'Bearer realm="stepwell"' });
}

function refused(
  { source }: DoorRules,
  status: number,
  message: string,
  code: string | null = null,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const body: DoorErrorBody = { message, restate_code: code, ...(source !== undefined && { source }) };
  return jsonResponse(status, body, headers);
}
