/** Whom the admin port answers by the host that a request names: a name that a stranger could point at this machine is none of ours. */
import { isIP } from "node:net";
import type { HttpRequest, HttpResponse } from "../../shared/api/http/message.ts";
import { textResponse } from "../../shared/api/http/message.ts";

type Answer = (request: HttpRequest) => Promise<HttpResponse>;

/** Nobody can register a name below these; what they mean is decided by this machine, its network or its containers. */
const OWN_ENDINGS = [".localhost", ".local", ".internal", ".svc", ".test"];

/**
 * A page in a browser may read from and write to its own origin. One whose name is pointed at this machine after it was loaded has
 * this port for its origin, and tells itself apart by nothing but the name.
 * @param allowed further names, in lower case; a star allows any
 */
export function forOwnHosts(answer: Answer, allowed: readonly string[]): Answer {
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

/** Names without a dot are looked up nearby, and public ones have at least one. */
function isOwn(name: string): boolean {
  return isIP(name) !== 0 || !name.includes(".") || OWN_ENDINGS.some((ending) => name.endsWith(ending));
}
