/** The cookie of a session. Its name has the port, because browsers keep one set of cookies for all ports of a machine. */

type Headers = Readonly<Record<string, string>>;

const NAME = "stepwell-session";
/** Browsers keep 180 cookies for a host. */
const COOKIES_MAX = 200;

/** @returns the values of all cookies with this name: a server at another port can add one, and none may hide the right one */
export function sessionCookies({ host, cookie = "" }: Headers): readonly string[] {
  const start = `${nameAt(host)}=`;
  return cookie
    .split(";", COOKIES_MAX)
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
}

/** The cookie is for all paths, because a proxy in front of the server may add a path of its own. */
export function setSessionCookie({ host, "x-forwarded-proto": scheme }: Headers, value: string, forMs: number): string {
  const secure = scheme === "https" ? "; Secure" : "";
  return `${nameAt(host)}=${value}; Path=/; Max-Age=${Math.floor(forMs / 1000)}; HttpOnly; SameSite=Strict${secure}`;
}

/** Takes the cookie out of the browser. */
export function endedSessionCookie(headers: Headers): string {
  return setSessionCookie(headers, "", 0);
}

function nameAt(host = ""): string {
  const port = /:(\d{1,5})$/.exec(host)?.[1];
  return port === undefined ? NAME : `${NAME}-${port}`;
}

/** @returns the cookies of the request that are no sessions; undefined if there are none */
export function otherCookies(cookie: string): string | undefined {
  const others = cookie
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "" && !pair.startsWith(NAME));
  return others.length === 0 ? undefined : others.join("; ");
}
