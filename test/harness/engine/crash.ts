/** Crashes of a process at a call that a test names by what it does, such as `acceptanceOf("child")`. */
import type { Actor } from "./engine-fixture.ts";
import type { PortCall } from "./engine-process.ts";

export type NamedCall = (call: PortCall) => boolean;

export type Victim = Pick<Actor, "process" | "die">;

export interface Crash {
  /** The call at which the process has ended; a test expects it, because a call that never comes ends no process. */
  at: PortCall | undefined;
}

/** Ends the process at the first such call, which has no effect. */
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

/** Ends the process at the first such call, which has its effect and gets no answer. */
export function crashAfter({ process, die }: Victim, isIt: NamedCall): Crash {
  const crash: Crash = { at: undefined };
  process.after = (call) => {
    if (!isIt(call)) return;
    die();
    crash.at = call;
  };
  return crash;
}
