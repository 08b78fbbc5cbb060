/** The address of a page: behind the `#` are the page's name, further segments and a query. */

export const PAGES = [
  "overview",
  "invocations",
  "deployments",
  "services",
  "objects",
  "topics",
  "limits",
  "schedules",
  "call",
  "sql",
] as const;
export type PageName = (typeof PAGES)[number];

export interface Route {
  readonly page: PageName;
  /** The decoded segments behind the page's name. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** @returns the overview for an empty address, and undefined for one that names no page */
export function parseRoute(hash: string): Route | undefined {
  const text = hash.replace(/^#\/?/, "");
  const at = text.indexOf("?");
  const [path, query] = at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
  const [name = "", ...segments] = path.split("/").map(decoded);
  // A single empty segment is the slash behind the page's name; a key may be empty, but a service and an id may not.
  const rest = segments.length === 1 && segments[0] === "" ? [] : segments;
  const page = PAGES.find((one) => one === (name === "" ? "overview" : name));
  return page && { page, rest, query: new URLSearchParams(query) };
}

/**
 * A link to a page. It leaves out undefined and empty members of the query, so that an address does not state the defaults of
 * a page.
 */
export function hrefTo(
  page: PageName,
  rest: readonly string[] = [],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const params = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? "") !== "");
  const search = params.length === 0 ? "" : `?${new URLSearchParams(params).toString()}`;
  return `#/${[page, ...rest].map(encodeURIComponent).join("/")}${search}`;
}

/** An address may be typed by hand, so it may contain a percent sign that begins no escape. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
