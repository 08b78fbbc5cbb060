/** Watches a queue for messages that beget messages. */
import type { Actor } from "./engine-fixture.ts";

/** From here on so many messages may be sent; one more ends the process, so that a circle of messages ends a test instead of hanging it. */
export function limitSends(actor: Actor, max: number): () => number {
  let sends = 0;
  actor.process.before = ({ port, method }) => {
    if (port === "queue" && method === "send" && ++sends > max) actor.die();
    return undefined;
  };
  return () => sends;
}
