/** Serves HTTP/1.1 and HTTP/2 with prior knowledge on one port. The first bytes of a connection show its protocol. */
import type { Server as Http1Server } from "node:http";
import type { Http2Server } from "node:http2";
import type { Socket } from "node:net";

/** The beginning of the client's HTTP/2 preface; no HTTP/1.1 method begins with it. */
const PREFACE = Buffer.from("PRI * HTTP/2.0");

/**
 * @param http1 the server that listens; its connections are inspected before it handles them
 * @param onConnection called for every connection of either protocol; false if it has refused the connection
 * @param silentMaxMs how long a new connection may send nothing
 */
export function offerBothProtocols(
  http1: Http1Server,
  http2: Http2Server,
  onConnection: (socket: Socket) => boolean,
  silentMaxMs: number,
): void {
  const serveHttp1 = http1.listeners("connection");
  http1.removeAllListeners("connection");
  http1.on("connection", (socket: Socket) => {
    if (!onConnection(socket)) return;
    lookAtFirstBytes(socket, silentMaxMs, (isHttp2) => {
      if (isHttp2) {
        // HTTP/1.1 sockets may be half-open. An HTTP/2 client that ended its side has disconnected, and its requests
        // are over.
        socket.allowHalfOpen = false;
        http2.emit("connection", socket);
      } else for (const serve of serveHttp1) serve.call(http1, socket);
    });
  });
}

function lookAtFirstBytes(socket: Socket, silentMaxMs: number, decide: (isHttp2: boolean) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const giveUp = (): void => void socket.destroy();
  const look = (): void => {
    const more = socket.read() as Buffer | null;
    if (more === null) return;
    seen = seen.length === 0 ? more : Buffer.concat([seen, more]);
    const compared = Math.min(seen.length, PREFACE.length);
    const isPreface = seen.subarray(0, compared).equals(PREFACE.subarray(0, compared));
    if (isPreface && compared < PREFACE.length) return;
    socket.off("readable", look).off("error", giveUp).off("end", giveUp).off("timeout", giveUp);
    socket.setTimeout(0);
    socket.unshift(seen);
    decide(isPreface);
  };
  // Until a server takes the socket, no other event listener would handle a reset or an end.
  socket.on("error", giveUp).on("end", giveUp).on("timeout", giveUp);
  socket.setTimeout(silentMaxMs);
  socket.on("readable", look);
}
