/** How a step of a handler ends: with a result, with a failure, or by a cancel, which reaches the handler where it waits. */
import { end, start } from "./invocations.ts";
import { type Cancel, inPhase, isOpen, keyOf, type State, withInvocation } from "./state.ts";
import type { Failure, Invocation, Name, Program, Target } from "./words.ts";

const CANCELLED: Failure = { code: 409, message: "Cancelled" };
const CANCELLED_BEFORE: Failure = { code: 409, message: "canceled" };

/** The step is done, with this result; the next one follows. */
export function given(state: State, name: Name, result: unknown): State {
  const { at, given: before } = state.invocations[name]!;
  const next = withInvocation(state, name, { at: at + 1, stumbled: 0, asked: undefined, given: [...before, result] });
  return inPhase(next, name, { is: "running" });
}

/** A handler that catches failures goes on; any other ends with the failure. */
export function failed(state: State, name: Name, failure: Failure, outcome: "failed" | "cancelled"): State {
  const { program, cancels } = state.invocations[name]!;
  if (program.catches) return given(state, name, `failed ${failure.code}`);
  // After a cancel, a handler that ends with the code of a cancel counts as cancelled.
  const isCancelled = cancels > 0 && failure.code === CANCELLED.code;
  return end(state, name, { failure }, isCancelled ? "cancelled" : outcome);
}

/** The handler sees a cancel: the calls that it made get one too, and the step at which it waits fails. */
export function seeCancel(state: State, name: Name): State {
  const { calls, cancels, program } = state.invocations[name]!;
  const sent = { ...state, cancels: [...state.cancels, ...calls.map((of) => ({ of, target: targetOf(program, of) }))] };
  return failed(withInvocation(sent, name, { cancels: cancels - 1 }), name, CANCELLED, "cancelled");
}

/** The name of a call ends with the index of its step, also after a restart that has kept the call. */
function targetOf({ steps }: Program, call: Name): Target {
  const step = steps[Number(call.slice(call.lastIndexOf(".") + 1))];
  if (step?.do !== "call") throw new Error(`${call} is not a call`);
  return step.target;
}

/**
 * The invocation that a cancel reaches: the id of a call to a workflow names the run that another caller has started, if the call was
 * refused for it, or a later run once the call is forgotten.
 */
export function reached(state: State, { of, target }: Cancel): Name {
  if (state.invocations[of] !== undefined) return of;
  const run = Object.values(state.invocations).find(
    (one) => one.kind === "workflow" && keyOf(one.target) === keyOf(target) && one.target.handler === target.handler,
  );
  return run?.name ?? of;
}

/**
 * An invocation that has begun goes on at once, even if it is paused or backs off, and its handler sees the cancel where it
 * waits. One that never began ends at once.
 */
export function cancel(state: State, name: Name): State {
  const found = state.invocations[name];
  if (found === undefined || !isOpen(found)) return state;
  if (found.isCopy && !found.hasBegun) return cancelCopy(state, found);
  if (!found.hasBegun) return end(state, name, { failure: CANCELLED_BEFORE }, "cancelled");
  return inPhase(withInvocation(state, name, { cancels: found.cancels + 1 }), name, { is: "running" });
}

/** The handler has to see the cancel, so the invocation begins in its turn, also if it was paused. */
function cancelCopy(state: State, { name, cancels, phase }: Invocation): State {
  const cancelled = withInvocation(state, name, { cancels: cancels + 1 });
  return phase.is === "paused" ? start(cancelled, name) : cancelled;
}
