/** A request object of Node's servers, for either protocol. */
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";

export type Incoming = IncomingMessage | Http2ServerRequest;
