/** A process that dies with an invocation in hand. */
import type { Actor } from "./engine-fixture.ts";

/** Its next segment is never written: what it has claimed for that stays claimed. */
export function diesBeforeItEnds(actor: Actor): void {
  actor.process.before = ({ method, args }) => {
    const isEnd = method === "put" && (args[0] as { sk: string }).sk.startsWith("seg#");
    if (isEnd) actor.die();
    return isEnd ? new Promise(() => undefined) : undefined;
  };
}
