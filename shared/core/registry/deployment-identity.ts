/** Decides whether two destinations are one deployment: addresses with equal authority and path, or equal ARNs. */
import type { DeploymentDestination } from "../model/deployment.ts";
import { parseLambdaArn } from "../model/lambda-arn.ts";

const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)(\/[^?#]*)?(\?[^#]*)?$/i;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: "80", https: "443" };

export interface Address {
  /** Lower-case, without the colon. */
  readonly scheme: string;
  /** Lower-case, without a default port, without credentials. */
  readonly authority: string;
  /** Begins with a slash. */
  readonly path: string;
  /** Includes the question mark; empty without a query. */
  readonly query: string;
}

/** Undefined if the text is not an absolute address, or contains credentials or a fragment. */
export function parseAddress(uri: string): Address | undefined {
  const match = ADDRESS.exec(uri);
  if (match === null) return undefined;
  const [, scheme = "", authority = "", path = "", query = ""] = match;
  if (/[\s@\\]/.test(authority) || /\s/.test(path + query)) return undefined;
  return {
    scheme: scheme.toLowerCase(),
    authority: withoutDefaultPort(scheme.toLowerCase(), authority.toLowerCase()),
    path: path === "" ? "/" : path,
    query,
  };
}

/** The stored and displayed form of an address. */
export function addressText(address: Address): string {
  return `${address.scheme}://${address.authority}${address.path}${address.query}`;
}

/** The same text for all destinations that are one deployment. Trailing slashes of the path do not count. */
export function identityOf(destination: DeploymentDestination): string {
  if (destination.kind === "lambda") return destination.arn;
  const address = parseAddress(destination.uri);
  return address === undefined ? destination.uri : `${address.authority}${withoutLastSlashes(address.path)}`;
}

/**
 * The recipient of requests: scheme, host and port of an address; for a function, the ARN without version or alias. All
 * paths of a server count as one recipient, and so do all versions of a function.
 */
export function recipientOf(destination: DeploymentDestination): string {
  if (destination.kind === "lambda") {
    const { text, qualifier } = parseLambdaArn(destination.arn);
    return text.slice(0, -qualifier.length - 1);
  }
  const address = parseAddress(destination.uri);
  return address === undefined ? destination.uri : `${address.scheme}://${address.authority}`;
}

/** Uses no regular expression, because that would backtrack at each slash of the path. */
export function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function withoutDefaultPort(scheme: string, authority: string): string {
  const port = DEFAULT_PORTS[scheme];
  return port !== undefined && authority.endsWith(`:${port}`) ? authority.slice(0, -port.length - 1) : authority;
}
