/** Where a registered URI points, taken apart once and kept. */
import { withoutLastSlashes } from "../../core/registry/deployment-identity.ts";

/** Set by the protocol itself, so never taken from a caller. */
const HOP_HEADERS: ReadonlySet<string> = new Set(
  "connection keep-alive proxy-connection transfer-encoding upgrade te trailer host content-length expect".split(" "),
);

export interface Place {
  readonly origin: URL;
  /** The URI's path without its trailing slash. */
  readonly prefix: string;
  /** The URI's query string, with its question mark; empty where there is none. */
  readonly search: string;
}

/** @throws TypeError when the text is no URI, or one of another scheme than http and https */
export function placeOf(uri: string): Place {
  const url = new URL(uri);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`a deployment is reached over http or https, not ${url.protocol.slice(0, -1)}`);
  }
  return { origin: new URL(url.origin), prefix: withoutLastSlashes(url.pathname), search: url.search };
}

export function pathOf(place: Place, path: string): string {
  return place.prefix + path + place.search;
}

/** The caller's headers without those that belong to the connection. */
export function endToEnd(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !HOP_HEADERS.has(name)) kept[name] = value;
  }
  return kept;
}

/** Response headers with lower-case names, several values of one name joined. */
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

/** The parts of a body as one piece, copied only where there are several. */
export function whole(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}
