/** Time limits of an HTTP/2 connection: its requests must arrive in time, and an idle connection must end. */
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";

export interface SessionLimits {
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
