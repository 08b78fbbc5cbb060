/** A process that dies after it has claimed an invocation. */
import type { Actor } from "./engine-fixture.ts";

/** Ends the process before it writes the next segment, so that its claim stays until the lease is over. */
export function diesBeforeItEnds(actor: Actor): void {
  actor.process.before = ({ method, args }) => {
    const isEnd = method === "put" && (args[0] as { sk: string }).sk.startsWith("seg#");
    if (isEnd) actor.die();
    return isEnd ? new Promise(() => undefined) : undefined;
  };
}
