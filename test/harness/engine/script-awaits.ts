/** The awaits of a scripted handler: single completions and signals, and combinations of them. */
import type { Notification } from "./script-journal.ts";

export class TerminalError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The tree of a suspension, in the shape of the wire. */
export interface Tree {
  readonly completions: readonly number[];
  readonly signals: readonly number[];
  readonly namedSignals: readonly string[];
  readonly nested: readonly Tree[];
  readonly combinator: number;
}

export interface Awaited<T> {
  readonly tree: Tree;
  /** Undefined while the outcome is open; `read` throws a failure as a TerminalError. */
  outcome(known: Known): { readonly at: number; read(): T } | undefined;
  /** The closures of awaited runs that have no result yet. */
  readonly runs: readonly (() => Promise<void>)[];
}

/** The notifications that the handler has consumed so far, each with its position. */
export class Known {
  readonly #byName = new Map<string, { readonly at: number; readonly notification: Notification }>();
  #count = 0;

  note(notification: Notification): void {
    const name = nameOf(notification);
    if (!this.#byName.has(name)) this.#byName.set(name, { at: this.#count, notification });
    this.#count++;
  }

  find(name: string) {
    return this.#byName.get(name);
  }

  /** Removes a named signal, because it may come again: each await takes one. */
  forget(name: string): void {
    this.#byName.delete(name);
  }
}

function nameOf({ completionId, signalIndex, signalName }: Notification): string {
  if (completionId !== undefined) return `c${completionId}`;
  return signalName === undefined ? `s${signalIndex}` : `n${signalName}`;
}

const EMPTY: Tree = { completions: [], signals: [], namedSignals: [], nested: [], combinator: 1 };

export function completion(id: number, runs: Awaited<unknown>["runs"] = []): Awaited<string> {
  return leaf({ ...EMPTY, completions: [id] }, `c${id}`, runs);
}

export function signal(index: number): Awaited<string> {
  return leaf({ ...EMPTY, signals: [index] }, `s${index}`, []);
}

export function namedSignal(name: string): Awaited<string> {
  return leaf({ ...EMPTY, namedSignals: [name] }, `n${name}`, []);
}

function leaf(tree: Tree, name: string, runs: Awaited<unknown>["runs"]): Awaited<string> {
  return {
    tree,
    runs,
    outcome(known) {
      const found = known.find(name);
      if (found === undefined) return undefined;
      const { at, notification } = found;
      return {
        at,
        read() {
          const { failure, value, invocationId } = notification;
          if (failure !== undefined) throw new TerminalError(failure.code, failure.message);
          return invocationId ?? (value === undefined ? "" : new TextDecoder().decode(value.content));
        },
      };
    },
  };
}

/** The branch that completes first, in the order of the notifications, decides the await. */
export function race<T>(...branches: Awaited<T>[]): Awaited<T> {
  return {
    tree: { ...EMPTY, nested: branches.map(({ tree }) => tree), combinator: 1 },
    runs: branches.flatMap(({ runs }) => runs),
    outcome(known) {
      const done = branches.map((branch) => branch.outcome(known)).filter((one) => one !== undefined);
      return done.sort((a, b) => a.at - b.at)[0];
    },
  };
}

/** The await is decided when all branches are decided. If a branch failed, `read` throws the failure of the branch. */
export function all<T>(...branches: Awaited<T>[]): Awaited<readonly T[]> {
  return {
    tree: { ...EMPTY, nested: branches.map(({ tree }) => tree), combinator: 4 },
    runs: branches.flatMap(({ runs }) => runs),
    outcome(known) {
      const done = branches.map((branch) => branch.outcome(known));
      if (done.some((one) => one === undefined)) return undefined;
      return { at: Math.max(...done.map((one) => one!.at)), read: () => done.map((one) => one!.read()) };
    },
  };
}
