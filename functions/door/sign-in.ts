/** A sign-in of a browser at the local admin API: the codes, the sessions that they open, and the pages that the browser shows. */
import { isSame, newSecret, digestOf } from "./secrets.ts";
import { textResponse, type HttpResponse } from "../../shared/api/http/message.ts";

/** The time in which a browser starts, also a slow one. */
export const CODE_MS = 2 * 60 * 1000;
/** The oldest code gives way to a further one. */
const CODES_MAX = 20;

interface Code {
  readonly code: string;
  readonly endsAtMs: number;
  /** The user of the machine for whom the code was made; undefined if the system did not show it. */
  readonly user: number | undefined;
}

/** Codes that open one session each, soon after they were made. */
export class SignInCodes {
  #codes: readonly Code[] = [];

  make(nowMs: number, user?: number): string {
    const code = newSecret();
    this.#codes = [...this.#valid(nowMs), { code, endsAtMs: nowMs + CODE_MS, user }].slice(-CODES_MAX);
    return code;
  }

  /** @returns the code if it was valid; it is used up then */
  take(given: string, nowMs: number): Pick<Code, "user"> | undefined {
    const taken = this.#valid(nowMs).find(({ code }) => isSame(given, code));
    this.#codes = this.#codes.filter((one) => one !== taken);
    return taken;
  }

  /** A clock that was set back ends no code early. */
  #valid(nowMs: number): readonly Code[] {
    return this.#codes.filter(({ endsAtMs }) => nowMs < endsAtMs);
  }
}

/** The pages that a browser shows at a sign-in: one that goes on to the web UI, and one that says how to sign in. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HEADERS = { "content-security-policy": POLICY, "referrer-policy": "no-referrer", "cache-control": "no-store" };
const HTML = "text/html; charset=utf-8";
/** The part of the address of a page of the web UI behind its hash sign. */
const ROUTE = /^\/[\w/-]{0,200}$/;

/**
 * A page and not a redirect: the step to the web UI then begins on this origin, so that the browser sends the new cookie with it.
 * The key travels behind the hash sign, which browsers send to no server.
 * @param route the page of the web UI to show; any other text leads to its first page
 */
export function signedInPage(
  { key, route }: { readonly key: string; readonly route: string },
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  const to = `../ui/#key=${key}${ROUTE.test(route) ? route : "/"}`;
  const body = `<meta http-equiv="refresh" content="0;url=${to}"><p>You are signed in. <a href="${to}">Go on to the web UI</a>`;
  return page(200, body, headers);
}

/** @param what the reason, a whole sentence */
export function noSessionPage(status: number, what: string): HttpResponse {
  const body = `<p>${what}<p>Run <code>stepwell ui</code> in a terminal: it opens the web UI in a browser that is signed in. Programs send the token as <code>authorization: Bearer &lt;token&gt;</code>.`;
  return page(status, body, {});
}

function page(status: number, body: string, headers: Readonly<Record<string, string>>): HttpResponse {
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stepwell</title>${body}</html>\n`;
  const response = textResponse(status, text, HTML);
  return { ...response, headers: { ...response.headers, ...HEADERS, ...headers } };
}

/** A week of work without another `stepwell ui`. */
const SESSION_MS = 7 * 24 * 60 * 60 * 1000;
/** The oldest session ends for a further one. */
const SESSIONS_MAX = 1_000;

export interface PageSession {
  readonly cookie: string;
  readonly key: string;
  readonly endsAtMs: number;
}

export class PageSessions {
  /** By the digest of the cookie, so that the time of a search tells nothing about the cookies. The oldest session is first. */
  readonly #open = new Map<string, Pick<PageSession, "key" | "endsAtMs">>();

  begin(nowMs: number): PageSession {
    const session = { cookie: newSecret(), key: newSecret(), endsAtMs: nowMs + SESSION_MS };
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= SESSIONS_MAX) this.#open.delete(oldest);
    this.#open.set(nameOf(session.cookie), session);
    return session;
  }

  /** Whether the session of this cookie is open. */
  has(cookie: string, nowMs: number): boolean {
    const session = this.#open.get(nameOf(cookie));
    return session !== undefined && nowMs < session.endsAtMs;
  }

  /** Whether this is the key of the session of this cookie. */
  hasKey(cookie: string, key: string): boolean {
    const session = this.#open.get(nameOf(cookie));
    return session !== undefined && isSame(key, session.key);
  }

  end(cookie: string): void {
    this.#open.delete(nameOf(cookie));
  }
}

function nameOf(cookie: string): string {
  return digestOf(cookie).toString("base64url");
}
