/** From the acceptance of an invocation to its end: the order of a key, the result, and who gets it. */
import { retentionOf, routeOf } from "./catalogue.ts";
import {
  answerOf,
  inPhase,
  keyAt,
  keyOf,
  type Request,
  type State,
  withInvocation,
  withKey,
  withoutInvocation,
} from "./state.ts";
import type { Invocation, Name, Outcome, Program, Result, Target } from "./words.ts";

export interface Asked {
  readonly name: Name;
  readonly target: Target;
  readonly program: Program;
  readonly key?: string;
  readonly startAtMs?: number;
  /** True for a request of a caller outside: its result is kept as that of an idempotent request. */
  readonly fromOutside: boolean;
}

/** The part of the former invocation that its restart takes over. */
export type Former = Pick<Invocation, "kind" | "keptMs" | "journalKeptMs" | "deployment"> & Partial<Invocation>;

/**
 * The invocation that a request meets instead of starting another: the one under its idempotency key, or the run of the
 * workflow. It is met for as long as its result is kept.
 */
export function metBy(state: State, { target, key }: Request): Invocation | undefined {
  const kind = routeOf(state.catalogue, target)?.kind;
  return Object.values(state.invocations).find(
    (one) =>
      keyOf(one.target) === keyOf(target) &&
      one.target.handler === target.handler &&
      (kind === "workflow" ? one.kind === "workflow" : key !== undefined && one.idempotencyKey === key),
  );
}

/** The invocation that has the id of the named one: itself, or once it is forgotten, a later one. */
export function withIdOf(state: State, name: Name): Invocation | undefined {
  const found = state.invocations[name];
  const request = state.former[name];
  return found === undefined && request !== undefined ? metBy(state, request) : found;
}

/** Accepts a request whose handler is registered, and which meets no invocation. */
export function accept(state: State, asked: Asked): State {
  const { key, target, fromOutside } = asked;
  const route = routeOf(state.catalogue, target);
  if (route === undefined) throw new Error(`there is no handler ${target.service}/${target.handler}`);
  const kept = retentionOf(route, fromOutside || key !== undefined);
  return acceptAs(state, asked, { kind: route.kind, ...kept, deployment: undefined });
}

export function acceptAs(state: State, { name, target, program, key, startAtMs }: Asked, former: Former): State {
  const invocation: Invocation = {
    name,
    target,
    program,
    phase: { is: "pending" },
    at: 0,
    given: [],
    stumbled: 0,
    asked: undefined,
    hasBegun: false,
    isCopy: false,
    traces: {},
    cancels: 0,
    calls: [],
    results: {},
    signals: [],
    ...(key !== undefined && { idempotencyKey: key }),
    hasJournal: true,
    ...former,
  };
  const stored = { ...state, invocations: { ...state.invocations, [name]: invocation } };
  if (startAtMs !== undefined && startAtMs > state.nowMs)
    return inPhase(stored, name, { is: "scheduled", untilMs: startAtMs });
  return start(stored, name);
}

/** An invocation whose time has come runs, or waits for its key behind all that came before. */
export function start(state: State, name: Name): State {
  const { kind, target } = state.invocations[name]!;
  if (kind !== "exclusive") return inPhase(state, name, { is: "running" });
  const key = keyOf(target);
  const { holder, queue } = keyAt(state, key);
  if (holder !== undefined) return inPhase(withKey(state, key, { queue: [...queue, name] }), name, { is: "pending" });
  return inPhase(withKey(state, key, { holder: name }), name, { is: "running" });
}

/** Ends an invocation: everybody who waits for its result gets it, and the next one gets its key. */
export function end(state: State, name: Name, result: Result, outcome: Outcome): State {
  const { hasBegun, isCopy, kind, target } = state.invocations[name]!;
  const ended = inPhase(state, name, { is: "completed", result, outcome, atMs: state.nowMs });
  const released = kind === "exclusive" ? leave(ended, keyOf(target), name) : ended;
  const told = tell(released, name, result);
  // An invocation that never ran leaves no record.
  return hasBegun || isCopy ? told : withoutInvocation(told, name);
}

/** Takes an invocation from its key, as the holder or from the queue. */
export function leave(state: State, key: string, name: Name): State {
  const { holder, ...without } = keyAt(state, key);
  const queue = without.queue.filter((one) => one !== name);
  if (holder !== name) return withKey(state, key, { queue });
  return passOn({ ...state, keys: { ...state.keys, [key]: { ...without, queue } } }, key);
}

/** A free key goes to the next invocation; the edits before it are applied. */
function passOn(state: State, key: string): State {
  const [next, ...queue] = keyAt(state, key).queue;
  if (next === undefined) return state;
  if (typeof next !== "string") return passOn(withKey(state, key, { queue, values: next.values }), key);
  return inPhase(withKey(state, key, { queue, holder: next }), next, { is: "running" });
}

function tell(state: State, name: Name, result: Result): State {
  const requests = state.requests.map((one) =>
    one.waitsFor === name && one.answer === undefined ? { answer: answerOf(result) } : one,
  );
  let told: State = { ...state, requests };
  for (const { name: waiting, phase } of Object.values(state.invocations))
    if (phase.is === "suspended" && phase.on.for === "result" && phase.on.of === name)
      told = withResult(told, waiting, result);
    else if (isHeldFor(phase, name)) told = withInvocation(told, waiting, { results: held(told, waiting, result) });
  return told;
}

/** The result of what a suspended invocation waits for: the handler goes on with it. */
export function withResult(state: State, name: Name, result: Result): State {
  const { at } = state.invocations[name]!;
  const kept = withInvocation(state, name, { results: { ...state.invocations[name]!.results, [at]: result } });
  return inPhase(kept, name, { is: "running" });
}

function held(state: State, name: Name, result: Result): Invocation["results"] {
  const { at, results } = state.invocations[name]!;
  return { ...results, [at]: result };
}

function isHeldFor(phase: Invocation["phase"], name: Name): boolean {
  if (phase.is !== "paused") return false;
  const { was } = phase;
  return was.is === "suspended" && was.on.for === "result" && was.on.of === name;
}
