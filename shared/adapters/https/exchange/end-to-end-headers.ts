/** Removes from requests the headers that belong to one connection, and from responses the pseudo-headers. */

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
