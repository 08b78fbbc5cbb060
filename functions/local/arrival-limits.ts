/** How long the parts of a connection may take, over HTTP/1.1 and HTTP/2; the settings `listeners.…` set all but the interval of checks. */
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";

/** Time limits of a connection. */
export interface ArrivalLimits {
  /** How long a new connection may send nothing, and how long the head of an HTTP/1.1 request may take to arrive. */
  readonly headWithinMs: number;
  /** From the start of the request to the end of its body. */
  readonly requestWithinMs: number;
  /** How long a connection may have no request. */
  readonly idleMs: number;
  /** How long an answer may stay completely unread. */
  readonly unreadMs: number;
  /** The interval of checks on connections. */
  readonly checkEveryMs: number;
}

export const ARRIVAL: ArrivalLimits = {
  headWithinMs: 60_000,
  requestWithinMs: 300_000,
  // Clients keep idle connections for less time. So clients close them first, and no request arrives on a closing connection.
  idleMs: 75_000,
  unreadMs: 60_000,
  checkEveryMs: 10_000,
};

interface SessionLimits {
  /** How long a connection may have no open request. */
  readonly idleMs: number;
  /** How long a request may take to arrive, its body included. */
  readonly requestWithinMs: number;
}

/** Answers have no limit here. */
export function limitSession(session: ServerHttp2Session, { idleMs, requestWithinMs }: SessionLimits): void {
  let open = 0;
  let idle: NodeJS.Timeout;
  const onIdle = (): void => {
    idle = setTimeout(() => session.destroy(), idleMs);
  };
  onIdle();
  session.on("stream", (stream: ServerHttp2Stream) => {
    open += 1;
    clearTimeout(idle);
    // Destroying ends the stream at once, and its request counts as broken.
    const late = setTimeout(() => stream.destroy(), requestWithinMs);
    stream.once("end", () => clearTimeout(late));
    stream.once("close", () => {
      clearTimeout(late);
      open -= 1;
      if (open === 0 && !session.destroyed) onIdle();
    });
  });
  session.once("close", () => clearTimeout(idle));
}
