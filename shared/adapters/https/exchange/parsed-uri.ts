/** Splits a registered URI into the parts that requests need. */
import { withoutLastSlashes } from "../../../core/registry/deployment-identity.ts";

export interface ParsedUri {
  readonly origin: URL;
  /** The URI's path without trailing slashes. */
  readonly prefix: string;
  /** The URI's query string with its question mark; empty if the URI has none. */
  readonly search: string;
}

/** @throws TypeError if the text is no URI, or its scheme is neither http nor https */
export function parseUri(text: string): ParsedUri {
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`a deployment is reached over http or https, not ${url.protocol.slice(0, -1)}`);
  }
  return { origin: new URL(url.origin), prefix: withoutLastSlashes(url.pathname), search: url.search };
}

export function pathOf(target: ParsedUri, path: string): string {
  return target.prefix + path + target.search;
}
