/** A process that dies after it has claimed an invocation. */
import { crashBefore } from "./crash.ts";
import type { Actor } from "./engine-fixture.ts";
import { segment } from "./named-calls.ts";

/** Ends the process before it writes the next segment, so that its claim stays until the lease is over. */
export function diesBeforeItEnds(actor: Actor): void {
  crashBefore(actor, segment);
}
