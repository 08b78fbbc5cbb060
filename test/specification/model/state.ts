/** The whole state of the specification: invocations, keys, open requests, and the plain changes of each. */
import type { Catalogue } from "./catalogue.ts";
import type { Answer, Invocation, Name, Phase, Result, Target, Values } from "./words.ts";

/** An operator's edit replaces the whole state, and waits for its turn as an invocation does. */
export interface Edit {
  readonly values: Values;
}

/** A key of an object or the id of a workflow. */
export interface Key {
  /** The invocation that has the key, and those that wait for it in their order. */
  readonly holder?: Name;
  readonly queue: readonly (Name | Edit)[];
  readonly values: Values;
  readonly promises: Readonly<Record<string, string>>;
}

/** The wait of a caller: open until it has its answer. */
export interface Waiting {
  readonly waitsFor?: Name;
  readonly answer?: Answer;
}

export interface State {
  readonly nowMs: number;
  readonly invocations: Readonly<Record<Name, Invocation>>;
  readonly keys: Readonly<Record<string, Key>>;
  readonly requests: readonly Waiting[];
  readonly catalogue: Catalogue;
  /** The requests of forgotten invocations: a later one under the same key, or of the same workflow, has the same id. */
  readonly former: Readonly<Record<Name, Request>>;
  /** Cancels of calls that are on their way to the called invocations. */
  readonly cancels: readonly Cancel[];
}

/** The parts of a request from which the product derives the id of its invocation. */
export interface Request {
  readonly target: Target;
  readonly key?: string | undefined;
}

export interface Cancel {
  readonly of: Name;
  readonly target: Target;
}

const FREE: Key = { queue: [], values: {}, promises: {} };

export function keyOf(target: Target): string {
  return `${target.service}/${target.key ?? ""}`;
}

export function keyAt(state: State, key: string): Key {
  return state.keys[key] ?? FREE;
}

export function withKey(state: State, key: string, change: Partial<Key>): State {
  return { ...state, keys: { ...state.keys, [key]: { ...keyAt(state, key), ...change } } };
}

export function withInvocation(state: State, name: Name, change: Partial<Invocation>): State {
  const before = state.invocations[name];
  if (before === undefined) return state;
  return { ...state, invocations: { ...state.invocations, [name]: { ...before, ...change } } };
}

export function inPhase(state: State, name: Name, phase: Phase): State {
  return withInvocation(state, name, { phase });
}

export function withoutInvocation(state: State, name: Name): State {
  const { [name]: gone, ...invocations } = state.invocations;
  if (gone === undefined || (gone.kind !== "workflow" && gone.idempotencyKey === undefined))
    return { ...state, invocations };
  const request = { target: gone.target, key: gone.idempotencyKey };
  return { ...state, invocations, former: { ...state.former, [name]: request } };
}

/** Gives an invocation, and with it all its children, another name. */
export function renamed({ catalogue, ...rest }: State, from: Name, to: Name): State {
  const wholeName = new RegExp(`(?<![\\w.])${from.replaceAll(".", "\\.")}(?!\\w)`, "g");
  return { ...(JSON.parse(JSON.stringify(rest).replaceAll(wholeName, to)) as Omit<State, "catalogue">), catalogue };
}

export function isOpen({ phase }: Invocation): boolean {
  return phase.is !== "completed";
}

export function openOnes(state: State): readonly Invocation[] {
  return Object.values(state.invocations).filter(isOpen);
}

export function answered(state: State, answer: Answer): State {
  return { ...state, requests: [...state.requests, { answer }] };
}

/** The answer to a caller that waits for a result. */
export function answerOf(result: Result): Answer {
  if ("value" in result) return { status: 200, says: result.value };
  return { status: result.failure.code, says: result.failure.message };
}
