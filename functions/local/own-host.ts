/** Whom the admin port answers by the host that a request names: a name that a stranger could point at this machine is none of ours. */
import { isIP } from "node:net";
import type { HttpRequest, HttpResponse } from "../../shared/api/http/message.ts";
import { textResponse } from "../../shared/api/http/message.ts";

type Answer = (request: HttpRequest) => Promise<HttpResponse>;

/** Addresses of this machine alone, as a socket is bound to them. */
const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/i;

/** Nobody can register a name below these; what they mean is decided by this machine, its network or its containers. */
const OWN_ENDINGS = [".localhost", ".local", ".internal", ".svc", ".test"];

/**
 * A page in a browser may read from and write to its own origin. One whose name is pointed at this machine after it was loaded has
 * this port for its origin, and tells itself apart by nothing but the name.
 * @param allowed further names, in lower case; a star allows any
 * @param bind the address of the port: on a loopback only this machine sends requests, so that no name of a network is its own
 */
export function forOwnHosts(answer: Answer, allowed: readonly string[], bind: string): Answer {
  const isOwn = LOOPBACK.test(bind) ? isOfLoopback : isNearby;
  return async (request) => {
    const name = hostNameIn(request.headers["host"]);
    if (name === undefined || isOwn(name) || allowed.includes(name) || allowed.includes("*")) {
      return await answer(request);
    }
    return textResponse(403, `'${name}' is no name of this server. Name it in admin.allowed-hosts to be answered.`);
  };
}

/** In lower case, without port, brackets and the dot of the root; undefined where the request names none, as no browser does. */
function hostNameIn(host: string | undefined): string | undefined {
  if (host === undefined || host === "") return undefined;
  return host
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

/** No resolver looks up a number. */
function isOfLoopback(name: string): boolean {
  return isIP(name) !== 0 || name === "localhost" || name.endsWith(".localhost");
}

/** Names without a dot are looked up nearby, and public ones have at least one. */
function isNearby(name: string): boolean {
  return isIP(name) !== 0 || !name.includes(".") || OWN_ENDINGS.some((ending) => name.endsWith(ending));
}
