/**
 * The sessions of pages of the web UI: a cookie that no script can read, and a key that the page sends as a header. Browsers send a
 * cookie of this machine to every port of it, so the cookie alone opens nothing. They keep the key for the page's own origin.
 *
 * A session ends with the process. An open page sends its cookie and its key to whichever process has the port, and another user may
 * take the port once this process has left it.
 */
import { digestOf, isSame, newSecret } from "./secrets.ts";

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
