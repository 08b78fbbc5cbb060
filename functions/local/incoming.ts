/** A request object of Node's servers, for either protocol, and the connection that it came by. */
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Ends } from "../door/peer-user.ts";

export type Incoming = IncomingMessage | Http2ServerRequest;

/** The ends of the connection of a request; empty once the connection is gone. */
export function endsOf(incoming: Incoming): Ends {
  return ("stream" in incoming ? incoming.stream.session?.socket : incoming.socket) ?? {};
}
