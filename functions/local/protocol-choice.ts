/** Lets one port speak HTTP/1.1 and HTTP/2 with prior knowledge, told apart by the first bytes of a connection. */
import type { Server as Http1Server } from "node:http";
import type { Http2Server } from "node:http2";
import type { Socket } from "node:net";

/** The beginning of the client's preface; no method of HTTP/1.1 begins with it. */
const PREFACE = Buffer.from("PRI * HTTP/2.0");

/**
 * @param http1 listens; its connections are looked at before it gets them
 * @param onConnection told of every connection, whatever is spoken on it
 * @param silentMaxMs nobody connects to say nothing: how long a connection may
 */
export function offerBothProtocols(
  http1: Http1Server,
  http2: Http2Server,
  onConnection: (socket: Socket) => void,
  silentMaxMs: number,
): void {
  const serveHttp1 = http1.listeners("connection");
  http1.removeAllListeners("connection");
  http1.on("connection", (socket: Socket) => {
    onConnection(socket);
    lookAtFirstBytes(socket, silentMaxMs, (isHttp2) => {
      if (isHttp2) {
        // Sockets of HTTP/1.1 may end on one side. A client of HTTP/2 that has ended its side is gone, with all that it asked.
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
  // Until a server takes the socket, a reset or an end would have nobody to tell.
  socket.on("error", giveUp).on("end", giveUp).on("timeout", giveUp);
  socket.setTimeout(silentMaxMs);
  socket.on("readable", look);
}
