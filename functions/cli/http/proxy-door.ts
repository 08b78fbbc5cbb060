/** The door of `stepwell proxy`: every request that passes is signed with the rights of the proxy's user. */
import type { IncomingMessage } from "node:http";
import { textResponse } from "../../../shared/api/http/message.ts";
import { doorOf } from "../../door/door.ts";
import type { Door, Knock } from "../../door/door.ts";
import { peerUser } from "../../door/peer-user.ts";

/** The files of the web UI have endings; no handler that a browser calls by GET has a name of this form below `ui`. */
const PAGE_FILE = /^\/ui\/(?:[\w-]{1,100}\.(?:js|css|svg|html))?$/;

/** @param port the port on which the proxy listens */
export function proxyDoor(token: string, port: () => number): Door {
  const tokens = doorOf({
    token,
    nowMs: () => Date.now(),
    isOpen: () => false,
    isPageFile: ({ method, path }) => method === "GET" && PAGE_FILE.test(path),
    whereTokenIs: "`stepwell proxy` has printed it at its start",
    source: "proxy",
    userOf: peerUser,
  });
  return (knock, ends) => (isOwnHost(knock.headers["host"], port()) ? tokens(knock, ends) : FOREIGN_HOST);
}

/** A page whose name was pointed at this machine after it was loaded has its own name as host. */
function isOwnHost(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

const FOREIGN_HOST = textResponse(403, "The proxy answers only as 127.0.0.1 and localhost");

/** The request as the door looks at it. Of a header that came twice, the door sees both values in one text, or the first. */
export function knockOf({ method = "GET", url = "/", headers }: IncomingMessage): Knock {
  const at = url.indexOf("?");
  const path = at < 0 ? url : url.slice(0, at);
  const texts = Object.entries(headers).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return { method, path, query: at < 0 ? "" : url.slice(at + 1), headers: Object.fromEntries(texts) };
}
