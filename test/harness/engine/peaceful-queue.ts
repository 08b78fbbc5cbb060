/** Bounds the messages of a process, for tests of messages that cause messages. */
import type { Actor } from "./engine-fixture.ts";

/** Allows `max` sends; one more ends the process, so that a circle of messages fails a test instead of hanging it. */
export function limitSends(actor: Actor, max: number): () => number {
  let sends = 0;
  actor.process.before = ({ port, method }) => {
    if (port === "queue" && method === "send" && ++sends > max) actor.die();
    return undefined;
  };
  return () => sends;
}
