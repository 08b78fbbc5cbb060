/** The headers of an exchange without those of one connection and without pseudo-headers, and the limit of their size. */

/**
 * The limit of the size of one head: the lengths of all names and values, and in HTTP/2 32 bytes more for each field
 * (RFC 7541). Over HTTP/2, Stepwell announces the limit to the peer.
 */
export const HEADER_LIST_MAX_BYTES = 64 * 1024;

/** The HTTP client sets these headers itself, so a caller's values are dropped. */
const HOP_HEADERS: ReadonlySet<string> = new Set(
  "connection keep-alive proxy-connection transfer-encoding upgrade te trailer host content-length expect".split(" "),
);

/** The caller's headers without those that belong to the connection. */
export function endToEnd(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !HOP_HEADERS.has(name)) kept[name] = value;
  }
  return kept;
}

/** The response headers without pseudo-headers; several values of one name are joined by commas. */
export function joined(
  headers: Readonly<Record<string, string | string[] | number | undefined>>,
): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || name.startsWith(":")) continue;
    plain[name] = Array.isArray(value) ? value.join(", ") : String(value);
  }
  return plain;
}
