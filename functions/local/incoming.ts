/** A request as node's servers give it, of either protocol. */
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";

export type Incoming = IncomingMessage | Http2ServerRequest;
