/**
 * The door of a listener that acts with the rights of an operator: it lets a request in that brings the token, or the session of a
 * page that a one-time code has opened, and refuses requests of other web pages whatever they bring.
 */
import { emptyResponse, jsonResponse, type HttpRequest, type HttpResponse } from "../../shared/api/http/message.ts";
import {
  PAGE_KEY_HEADER,
  type DoorErrorBody,
  type SessionBody,
  type SignInCodeBody,
} from "../../shared/api/wire/door.ts";
import { remedyOf } from "../../shared/api/wire/remedies.ts";
import { PageSessions, CODE_MS, SignInCodes, noSessionPage, signedInPage, type PageSession } from "./sign-in.ts";
import type { Ends } from "./peer-user.ts";
import { isSame } from "./secrets.ts";
import { endedSessionCookie, sessionCookies, setSessionCookie } from "./session-cookie.ts";

/** No service has such a name, so these paths are free at an ingress too. */
const CODES = "/-/sign-in-codes";
const SIGN_IN = "/-/sign-in";
const SESSION = "/-/session";

const NO_TOKEN = "META0018";
const SUPERUSER = 0;
/** No cache keeps an answer with a secret. */
const UNSTORED = { "cache-control": "no-store" };

/** A request as the door sees it, before its body is read. */
export type Knock = Pick<HttpRequest, "method" | "path" | "query" | "headers">;

/** @param ends the connection of the request @returns the answer to a request that stays outside; undefined for one that may pass */
export type Door = (knock: Knock, ends: Ends) => HttpResponse | undefined;

/** The kinds of secrets that a stranger may have guessed or found. */
export type RefusedSecret = "token" | "code" | "code of another user";

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
  /** The user of this machine at the other end; undefined if it is not known. */
  readonly userOf: (ends: Ends) => number | undefined;
  /** Called for each token and code that the door refuses. */
  readonly onRefused?: (secret: RefusedSecret, ends: Ends) => void;
}

interface Inside extends DoorRules {
  readonly codes: SignInCodes;
  readonly sessions: PageSessions;
}

export function doorOf(rules: DoorRules): Door {
  const inside: Inside = { ...rules, codes: new SignInCodes(), sessions: new PageSessions() };
  return (knock, ends) => {
    if (rules.isOpen(knock)) return undefined;
    const nowMs = rules.nowMs();
    // A link to the code may be on a page, such as that of a terminal in a browser. The code is used up by the first request.
    if (knock.path === SIGN_IN && knock.method === "GET") return signIn(inside, knock, ends, nowMs);
    const page = pageRefusal(knock, rules.source);
    if (page !== undefined) return page;
    const hasToken = bringsToken(knock.headers, rules.token);
    if (hasToken && knock.path === CODES && knock.method === "POST") return newCode(inside, ends, nowMs);
    if (hasToken && knock.path === SESSION && knock.method === "POST") return newSession(inside, knock, nowMs);
    const cookie = openSession(inside, knock, nowMs);
    if (cookie !== undefined && knock.path === SESSION && knock.method === "DELETE")
      return signOut(inside, knock, cookie);
    if (hasToken || cookie !== undefined) return undefined;
    if ((knock.headers["authorization"] ?? "") !== "") rules.onRefused?.("token", ends);
    return unknownCaller(rules, knock);
  };
}

/** The refusal of a request of another web page, whatever it brings; undefined for every other request. */
export function pageRefusal({ headers }: Knock, source?: DoorErrorBody["source"]): HttpResponse | undefined {
  if (!isFromOtherPage(headers)) return undefined;
  return refused({ source }, 403, "Another web page may not send requests here");
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

/** @returns the cookie of the session with which the request comes; undefined if it opens nothing */
function openSession({ sessions, isPageFile }: Inside, knock: Knock, nowMs: number): string | undefined {
  const cookie = sessionCookies(knock.headers).find((one) => sessions.has(one, nowMs));
  if (cookie === undefined) return undefined;
  const key = knock.headers[PAGE_KEY_HEADER];
  const isAllowed = isPageFile(knock)
    ? knock.headers["sec-fetch-site"] !== undefined
    : key !== undefined && sessions.hasKey(cookie, key);
  return isAllowed ? cookie : undefined;
}

function newCode({ codes, userOf }: Inside, ends: Ends, nowMs: number): HttpResponse {
  const expiresAt = new Date(nowMs + CODE_MS).toISOString();
  const body: SignInCodeBody = { code: codes.make(nowMs, userOf(ends)), expires_at: expiresAt };
  return jsonResponse(201, body, UNSTORED);
}

function newSession({ sessions }: Inside, knock: Knock, nowMs: number): HttpResponse {
  const session = sessions.begin(nowMs);
  const body: SessionBody = { key: session.key, expires_at: new Date(session.endsAtMs).toISOString() };
  return jsonResponse(201, body, { ...UNSTORED, ...cookieOf(session, knock, nowMs) });
}

function cookieOf(
  { cookie, endsAtMs }: PageSession,
  { headers }: Knock,
  nowMs: number,
): { readonly "set-cookie": string } {
  return { "set-cookie": setSessionCookie(headers, cookie, endsAtMs - nowMs) };
}

function signIn(inside: Inside, knock: Knock, ends: Ends, nowMs: number): HttpResponse {
  const asked = new URLSearchParams(knock.query);
  const given = asked.get("code") ?? "";
  const taken = inside.codes.take(given, nowMs);
  if (taken === undefined) {
    if (given !== "") inside.onRefused?.("code", ends);
    return noSessionPage(403, "This link was used, or is too old.");
  }
  if (taken.user !== undefined && isOtherUser(taken.user, inside.userOf(ends))) {
    inside.onRefused?.("code of another user", ends);
    return noSessionPage(403, "Another user of this machine asked for this link.");
  }
  const session = inside.sessions.begin(nowMs);
  const { key } = session;
  return signedInPage({ key, route: asked.get("to") ?? "" }, { ...UNSTORED, ...cookieOf(session, knock, nowMs) });
}

/**
 * The link is an argument of the browser's start, which other users of the machine may read before the browser opens it. The superuser
 * forwards connections of others, and may read the token anyway.
 */
function isOtherUser(asked: number, user: number | undefined): boolean {
  return user !== undefined && user !== asked && user !== SUPERUSER;
}

function signOut({ sessions }: Inside, { headers }: Knock, cookie: string): HttpResponse {
  sessions.end(cookie);
  return emptyResponse(204, { ...UNSTORED, "set-cookie": endedSessionCookie(headers) });
}

/** A browser that loads a page shows the text of the answer, and a program reads JSON. */
function unknownCaller(rules: DoorRules, { headers }: Knock): HttpResponse {
  if (headers["sec-fetch-mode"] === "navigate") return noSessionPage(401, "This address needs a sign-in.");
  const { title } = remedyOf(NO_TOKEN)!;
  const message = `[${NO_TOKEN}] ${title}: ${rules.whereTokenIs}`;
  return refused(rules, 401, message, NO_TOKEN, { "www-authenticate": 'Bearer realm="stepwell"' });
}

function refused(
  { source }: { readonly source?: DoorErrorBody["source"] | undefined },
  status: number,
  message: string,
  code: string | null = null,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const body: DoorErrorBody = { message, restate_code: code, ...(source !== undefined && { source }) };
  return jsonResponse(status, body, headers);
}

/** Tells the requests of other web pages from those of programs and of the server's own page. */
type Headers = Readonly<Record<string, string>>;

/** `none`: the user entered the address, chose a bookmark, or a program opened it. */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/**
 * Browsers add `sec-fetch-site` to every request to this machine, also to those without `origin`: of images, scripts, forms,
 * links and prefetches. No page can set or remove either header. Programs send neither of them.
 */
export function isFromOtherPage({ "sec-fetch-site": site, origin, host }: Headers): boolean {
  if (site !== undefined) return !OWN_SITES.has(site);
  return origin !== undefined && !isOriginOf(host, origin);
}

/** A browser sends no `sec-fetch-site` to an address without TLS that is not of its own machine. */
function isOriginOf(host: string | undefined, origin: string): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
