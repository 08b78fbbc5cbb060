/** The passing of time: sleeps end, sends start, attempts come again, and results are forgotten. */
import { start, withResult } from "./invocations.ts";
import { distinct, settle } from "./settling.ts";
import { inPhase, keyAt, keyOf, type State, withInvocation, withoutInvocation } from "./state.ts";
import type { Invocation, Name } from "./words.ts";

/** Moments this close may take effect in either order. */
export const SLACK_MS = 2_000;
/** The longest list of moments whose orders are all considered. */
const PERMUTED_MAX = 4;

/** A change that becomes due for an invocation, and its moment. */
interface Due {
  readonly atMs: number;
  readonly name: Name;
  readonly what: "start" | "wake" | "retry" | "forget" | "forget the journal";
}

function dueOf({ name, phase, keptMs, journalKeptMs, hasJournal }: Invocation): Due | undefined {
  switch (phase.is) {
    case "scheduled":
      return { atMs: phase.untilMs, name, what: "start" };
    case "backing-off":
      return { atMs: phase.untilMs, name, what: "retry" };
    case "suspended":
      return phase.on.for === "timer" ? { atMs: phase.on.untilMs, name, what: "wake" } : undefined;
    case "completed":
      if (hasJournal && journalKeptMs < keptMs)
        return { atMs: phase.atMs + journalKeptMs, name, what: "forget the journal" };
      return { atMs: phase.atMs + keptMs, name, what: "forget" };
    default:
      return undefined;
  }
}

function takeEffect(state: State, { name, what }: Due): State {
  const found = state.invocations[name];
  if (found === undefined) return state;
  switch (what) {
    case "start":
      return start(state, name);
    case "wake":
      return withResult(state, name, { value: "done" });
    case "retry":
      return inPhase(state, name, { is: "running" });
    case "forget the journal":
      return withInvocation(state, name, { hasJournal: false });
    case "forget":
      return forget(state, found);
  }
}

/**
 * With the run of a workflow, its state and its promises are forgotten. A handler that waits for such a promise waits on: the promises
 * of the next run are others, even under the same name.
 */
export function forget(state: State, { name, kind, target }: Invocation): State {
  const forgotten = withoutInvocation(state, name);
  if (kind !== "workflow") return forgotten;
  const key = keyOf(target);
  const emptied = {
    ...forgotten,
    keys: { ...forgotten.keys, [key]: { ...keyAt(state, key), values: {}, promises: {} } },
  };
  const waiters = Object.values(emptied.invocations).filter((one) => keyOf(one.target) === key);
  return waiters.reduce((next, one) => withFormerPromise(next, one), emptied);
}

/** The step of a handler that waits names a promise that nothing completes any more, also if it is held or attempted again. */
function withFormerPromise(state: State, { name, phase, program, at, asked }: Invocation): State {
  if (asked === undefined || phase.is === "completed" || program.steps[at]?.do !== "promise") return state;
  const former = "(of a former run)";
  const steps = program.steps.with(at, { do: "promise", name: former });
  const on = { for: "promise", name: former } as const;
  const renamed = withInvocation(state, name, { program: { ...program, steps }, asked: on });
  return phase.is === "suspended" ? inPhase(renamed, name, { is: "suspended", on }) : renamed;
}

/** Lets time pass up to a moment. @returns the states that are possible then */
export function pass(state: State, untilMs: number, thoroughly: boolean): readonly State[] {
  let open = settle(state, thoroughly);
  const over: State[] = [];
  while (open.length > 0) {
    const next: State[] = [];
    for (const one of open) {
      const due = firstDue(one, untilMs);
      if (due.length === 0) over.push(...lastMoment({ ...one, nowMs: untilMs }));
      else
        for (const order of orders(due)) {
          const moved = { ...one, nowMs: Math.max(one.nowMs, due[0]!.atMs) };
          next.push(...settle(order.reduce(takeEffect, moved), thoroughly));
        }
    }
    open = next.length > 1 ? distinct(next) : next;
  }
  return over.length > 1 ? distinct(over) : over;
}

/** The changes that become due within the slack of the first moment, up to a moment. */
function firstDue(state: State, untilMs: number): readonly Due[] {
  const due: Due[] = [];
  for (const one of Object.values(state.invocations)) {
    const found = dueOf(one);
    if (found !== undefined && found.atMs <= untilMs) due.push(found);
  }
  due.sort((a, b) => a.atMs - b.atMs);
  return due.filter(({ atMs }) => atMs <= due[0]!.atMs + SLACK_MS);
}

/** A result that is kept until about now may be forgotten already. */
function lastMoment(state: State): readonly State[] {
  const soon = Object.values(state.invocations).filter((one) => {
    const due = dueOf(one);
    return due !== undefined && one.phase.is === "completed" && due.atMs <= state.nowMs + SLACK_MS;
  });
  return soon.reduce<readonly State[]>(
    (states, one) => states.flatMap((each) => [each, takeEffect(each, dueOf(one)!)]),
    [state],
  );
}

function orders(due: readonly Due[]): readonly (readonly Due[])[] {
  if (due.length === 1 || due.length > PERMUTED_MAX) return [due];
  return due.flatMap((first, at) => orders(due.filter((_, other) => other !== at)).map((rest) => [first, ...rest]));
}
