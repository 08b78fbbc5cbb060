/** The poll of a loaded invocation, for a look by a process that does not drive it. */
import type { Poll } from "../../core/invocation/event.ts";
import type { Loaded } from "./load.ts";

export function pollOf({ arrivals, left }: Loaded, atMs: number): Poll {
  return { kind: "poll", atMs, arrivals: [...arrivals.values()], isCut: left !== undefined };
}
