/** When two addresses mean one deployment: authority and path count, the scheme does not. */
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
  /** With its question mark; empty where there is none. */
  readonly query: string;
}

/** Undefined where the text is not an absolute address, or carries credentials or a fragment. */
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

/** The form in which an address is stored and shown. */
export function addressText(address: Address): string {
  return `${address.scheme}://${address.authority}${address.path}${address.query}`;
}

/** Equal for two destinations that are one deployment. A slash at the end of the path makes no difference; an ARN is taken exactly. */
export function identityOf(destination: DeploymentDestination): string {
  if (destination.kind === "lambda") return destination.arn;
  const address = parseAddress(destination.uri);
  return address === undefined ? destination.uri : `${address.authority}${withoutLastSlashes(address.path)}`;
}

/**
 * Who reads what is sent there: scheme, host and port of an address, and of a function all but its version or alias.
 * Paths of one server are taken for one reader, as are versions of one function.
 */
export function recipientOf(destination: DeploymentDestination): string {
  if (destination.kind === "lambda") {
    const { text, qualifier } = parseLambdaArn(destination.arn);
    return text.slice(0, -qualifier.length - 1);
  }
  const address = parseAddress(destination.uri);
  return address === undefined ? destination.uri : `${address.scheme}://${address.authority}`;
}

/** A pattern of slashes at the end would try anew at each slash of the path. */
export function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function withoutDefaultPort(scheme: string, authority: string): string {
  const port = DEFAULT_PORTS[scheme];
  return port !== undefined && authority.endsWith(`:${port}`) ? authority.slice(0, -port.length - 1) : authority;
}
