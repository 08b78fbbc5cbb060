/** Lets running invocations go on; where two of them touch the same thing, either may be first. */
import { advance } from "./programs.ts";
import { type Cancel, keyOf, type State, withInvocation } from "./state.ts";
import { cancel, reached } from "./step-end.ts";
import type { Invocation, Name } from "./words.ts";

/**
 * Lets all running invocations go on until each waits or has ended. Where two of them touch the same thing, either may be first.
 * @param thoroughly considers every order of steps that touch anything
 */
export function settle(state: State, thoroughly: boolean): readonly State[] {
  let open: readonly State[] = [state];
  const over: State[] = [];
  while (open.length > 0) {
    const next: State[] = [];
    for (const one of open) {
      const following = followingOf(one, thoroughly);
      if (following.length === 0) over.push(one);
      next.push(...following);
    }
    open = next.length > 1 ? distinct(next) : next;
  }
  return over;
}

/** All states through which the running invocations may go until each waits or has ended, with the first and the last ones. */
export function onTheWay(state: State): readonly State[] {
  const all: State[] = [];
  let open: readonly State[] = [state];
  while (open.length > 0) {
    all.push(...open);
    open = distinct(open.flatMap((one) => followingOf(one, false)));
  }
  return all;
}

/** @returns the states that may follow from one step; none if everything waits or has ended */
function followingOf(state: State, thoroughly: boolean): readonly State[] {
  if (state.cancels.length > 0) return deliver(state, thoroughly);
  return nextToGo(state, thoroughly).flatMap((name) => advance(state, name));
}

/**
 * The first cancel that is on its way arrives. An invocation that has just got its key may begin before, and may go on until it
 * waits.
 */
function deliver(state: State, thoroughly: boolean): readonly State[] {
  const [first, ...cancels] = state.cancels as readonly [Cancel, ...Cancel[]];
  const of = reached(state, first);
  const rest = { ...state, cancels };
  const now = cancel(rest, of);
  if (state.invocations[of]?.phase.is !== "running") return [now];
  const begun = cancel(withInvocation(rest, of, { hasBegun: true }), of);
  return [now, begun, ...settle(rest, thoroughly).map((later) => cancel(later, of))];
}

/** One running invocation whose next step concerns nobody else; or all of those that compete. */
function nextToGo(state: State, thoroughly: boolean): readonly Name[] {
  const running = Object.values(state.invocations).filter(({ phase }) => phase.is === "running");
  if (running.length < 2) return running.map(({ name }) => name);
  const touched = running.map((one) => ({ name: one.name, what: touchedBy(state, one, thoroughly) }));
  const alone = touched.find(
    ({ name, what }) =>
      what === undefined || (!thoroughly && !touched.some((one) => one.name !== name && one.what === what)),
  );
  if (alone !== undefined) return [alone.name];
  if (thoroughly) return touched.map(({ name }) => name);
  const { what } = touched[0]!;
  return touched.filter((one) => one.what === what).map(({ name }) => name);
}

/** @returns the thing that the next step of an invocation shares with others */
function touchedBy(state: State, { program, at, kind, target }: Invocation, thoroughly: boolean): string | undefined {
  const step = program.steps[at];
  switch (step?.do) {
    case "call":
    case "send":
      if (step.target.key !== undefined) return keyOf(step.target);
      return step.do === "send" && step.key !== undefined ? `idempotent ${step.key}` : undefined;
    case "tell":
    case "attach":
      return `invocation ${step.of}`;
    case "promise":
    case "peek":
    case "keep":
      return keyOf(target);
    case "get":
    case "set":
    case "clear":
      return thoroughly || isReadByOthers(state, keyOf(target)) || kind === "shared" ? keyOf(target) : undefined;
    default:
      return undefined;
  }
}

function isReadByOthers(state: State, key: string): boolean {
  return Object.values(state.invocations).some(
    ({ phase, kind, target }) => phase.is === "running" && kind === "shared" && keyOf(target) === key,
  );
}

export function distinct(states: readonly State[]): State[] {
  // All states that follow from one operation have the same catalogue, so the comparison leaves it out.
  return [...new Map(states.map((state) => [JSON.stringify({ ...state, catalogue: undefined }), state])).values()];
}
