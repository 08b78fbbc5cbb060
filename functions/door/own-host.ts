/** Protects the admin port against DNS rebinding: refuses a request whose host name may belong to a foreign web page. */
import { isIP } from "node:net";
import { textResponse } from "../../shared/api/http/message.ts";
import type { Door } from "./door.ts";

/** No public name can be registered below these; this machine, its network or its containers resolve them. */
const OWN_ENDINGS = [".localhost", ".local", ".internal", ".svc", ".test"];

/**
 * A browser page may read from and write to its own origin. If a foreign name is pointed at this machine after a page was
 * loaded from that name, this port becomes the page's origin, and only the host name reveals a request of the page.
 * @param allowed further names, in lower case; a star allows any
 * @param isLoopback whether the port is bound to a loopback address: then only this machine sends requests, so the server
 * accepts no names of the network
 */
export function doorForOwnHosts(allowed: readonly string[], isLoopback: () => boolean): Door {
  return ({ headers }) => {
    const isOwn = isLoopback() ? isOfLoopback : isNearby;
    const name = hostNameIn(headers["host"]);
    if (name === undefined || isOwn(name) || allowed.includes(name) || allowed.includes("*")) return undefined;
    return textResponse(403, `'${name}' is not a name of this server. List it in admin.allowed-hosts to allow it.`);
  };
}

/**
 * The name in lower case, without port, brackets and the root dot; undefined if the request has no host (browsers
 * always send one).
 */
function hostNameIn(host: string | undefined): string | undefined {
  if (host === undefined || host === "") return undefined;
  return host
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

/** Every IP address is accepted, because DNS rebinding needs a host name. */
function isOfLoopback(name: string): boolean {
  return isIP(name) !== 0 || name === "localhost" || name.endsWith(".localhost");
}

/** Names without a dot resolve locally, because public names have at least one dot. */
function isNearby(name: string): boolean {
  return isIP(name) !== 0 || !name.includes(".") || OWN_ENDINGS.some((ending) => name.endsWith(ending));
}
