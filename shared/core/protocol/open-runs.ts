/** The runs of a reply that have no result in it: the handler executes them now. */
import type { Received } from "./received.ts";

/** @param received the entries of a reply that no segment has yet @returns the names of the runs, in the order of the reply */
export function namesOfOpenRuns(received: readonly Received[]): readonly string[] {
  const open = new Map<number, string>();
  for (const item of received) {
    if (item.kind === "proposal") open.delete(item.completionId);
    else if (item.name === "Run") open.set(item.message.resultCompletionId, item.message.name ?? "");
  }
  return [...open.values()];
}
