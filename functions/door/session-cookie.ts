/** The cookie of a session. Its name has the port, because browsers keep one set of cookies for all ports of a machine. */

type Headers = Readonly<Record<string, string>>;

const NAME = "stepwell-session";

/** @returns the value of the cookie; undefined if the request has none */
export function sessionCookie({ host, cookie = "" }: Headers): string | undefined {
  const start = `${nameAt(host)}=`;
  return cookie
    .split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

/** The cookie is for all paths, because a proxy in front of the server may add a path of its own. */
export function setSessionCookie({ host, "x-forwarded-proto": scheme }: Headers, value: string, forMs: number): string {
  const secure = scheme === "https" ? "; Secure" : "";
  return `${nameAt(host)}=${value}; Path=/; Max-Age=${Math.floor(forMs / 1000)}; HttpOnly; SameSite=Strict${secure}`;
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
