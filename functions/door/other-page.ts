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
