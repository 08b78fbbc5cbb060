/** Crashes a process at a call, which a test describes by a predicate such as `acceptanceOf("child")`. */
import type { Actor } from "./engine-fixture.ts";
import type { PortCall } from "./engine-process.ts";

export type NamedCall = (call: PortCall) => boolean;

export type Victim = Pick<Actor, "process" | "die">;

export interface Crash {
  /** The call at which the process has ended. A test checks that it is set, because the call may never come. */
  at: PortCall | undefined;
}

/** Ends the process before the first such call takes effect. */
export function crashBefore({ process, die }: Victim, isIt: NamedCall): Crash {
  const crash: Crash = { at: undefined };
  const { before } = process;
  process.before = (call) => {
    if (!isIt(call)) return before?.(call);
    die();
    crash.at = call;
    return Promise.resolve();
  };
  return crash;
}

/** Ends the process after the first such call took effect, before it is answered. */
export function crashAfter({ process, die }: Victim, isIt: NamedCall): Crash {
  const crash: Crash = { at: undefined };
  process.after = (call) => {
    if (!isIt(call)) return;
    die();
    crash.at = call;
  };
  return crash;
}
