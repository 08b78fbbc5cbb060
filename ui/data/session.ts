/** The session of this page at a server that wants a token: its key, its end, and whether the reader has to sign in. */
import { signal } from "@preact/signals";
import { PAGE_KEY_HEADER, type SessionBody } from "../../shared/api/wire/door.ts";
import { forget, read, write } from "./preferences.ts";

/** `stepwell ui` opens `ui/#key=<key>/<route>`. */
const KEY_IN_HASH = /^#key=([\w-]{43})(\/.*)?$/;
const STORED = "page-key";
const CHALLENGE = 'Bearer realm="stepwell"';

/** A server without this path wants no sessions. */
const NO_SUCH_PATH = 404;
const UNKNOWN_SESSION = 401;

/** True after an answer that asks for a session. */
export const needsSignIn = signal(false);
/** Whether the reader can sign out. */
export const hasSession = signal(read(STORED) !== null);

/** Takes the key out of the address, so that it stays in no history and in no copied link. */
export function takeKeyFromAddress(): void {
  const [, key, route = "/"] = KEY_IN_HASH.exec(location.hash) ?? [];
  if (key === undefined) return;
  write(STORED, key);
  hasSession.value = true;
  history.replaceState(history.state, "", `#${route}`);
}

/** Read again for each request, because another tab may have signed in since. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const key = read(STORED);
  return key === null ? {} : { [PAGE_KEY_HEADER]: key };
}

export function noteAnswer({ status, headers }: Response): void {
  if (status === 401 && headers.get("www-authenticate") === CHALLENGE) needsSignIn.value = true;
}

/** @returns whether the server took the token */
export async function signInWith(token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(new URL("../-/session", document.baseURI), { method: "POST", headers });
  if (!response.ok) return false;
  const { key } = (await response.json()) as SessionBody;
  write(STORED, key);
  hasSession.value = true;
  needsSignIn.value = false;
  return true;
}

/** Ends the session for all tabs. @returns false if it may be still open at the server */
export async function signOut(): Promise<boolean> {
  const asked = { method: "DELETE", headers: sessionHeaders() };
  const response = await fetch(new URL("../-/session", document.baseURI), asked).catch(() => undefined);
  const isOver = response?.ok === true || response?.status === UNKNOWN_SESSION || response?.status === NO_SUCH_PATH;
  if (!isOver) return false;
  forget(STORED);
  hasSession.value = false;
  needsSignIn.value = response.status !== NO_SUCH_PATH;
  return true;
}
