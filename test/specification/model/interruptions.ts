/** Kill, pause and resume: how an invocation is stopped from outside, and how it goes on. */
import { end, leave, start } from "./invocations.ts";
import { inPhase, isOpen, keyOf, type State, withInvocation } from "./state.ts";
import { distinct, onTheWay } from "./settling.ts";
import type { Name, Phase } from "./words.ts";

const KILLED = { code: 409, message: "killed" };

/**
 * A kill ends the invocation at once, and its calls that have no result; what it has changed stays. A call that gets its key by the
 * end of its caller may begin before the kill reaches it.
 */
export function kill(state: State, name: Name): readonly State[] {
  const found = state.invocations[name];
  if (found === undefined || !isOpen(found)) return [state];
  const killed = end(state, name, { failure: KILLED }, "killed");
  return found.calls.reduce<readonly State[]>(
    (states, call) => states.flatMap((one) => begunOrNot(one, call).flatMap((each) => kill(each, call))),
    [killed],
  );
}

function begunOrNot(state: State, name: Name): readonly State[] {
  if (state.invocations[name] === undefined) return [state];
  // The key may have gone to others before.
  return distinct(
    onTheWay(state).flatMap((one) => {
      const found = one.invocations[name];
      const mayBegin = found?.phase.is === "running" && !found.hasBegun;
      return mayBegin ? [one, withInvocation(one, name, { hasBegun: true })] : [one];
    }),
  );
}

/** Nothing that comes starts a paused invocation. One that never began leaves the queue of its key. */
export function pause(state: State, name: Name): State {
  const { phase, hasBegun, kind, target } = state.invocations[name]!;
  const left = kind === "exclusive" && !hasBegun ? leave(state, keyOf(target), name) : state;
  return inPhase(left, name, { is: "paused", was: phase });
}

/** A resumed invocation goes on with what came meanwhile; one that never began waits for its start or its key again. */
export function resume(state: State, name: Name): State {
  const { phase, hasBegun } = state.invocations[name]!;
  const was: Phase = phase.is === "paused" ? phase.was : phase;
  if (was.is === "scheduled") return inPhase(state, name, was);
  if (!hasBegun) return start(state, name);
  return inPhase(state, name, { is: "running" });
}
