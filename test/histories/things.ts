/** The things that the clients of a history share, each as one client alone would see it. */
import { groupedBy } from "../grouped.ts";
import type { Operation } from "./history.ts";
import { judge, type Sequential, type Verdict } from "./linearizability.ts";

/** A counter is an object: `add` answers with the sum after it, and `read` is a shared handler. */
const counter: Sequential<number> = {
  start: 0,
  step(sum, { verb, given, ...operation }) {
    if (verb === "read") return unlessContradicted(operation, sum, sum);
    const after = sum + (given as number);
    return unlessContradicted(operation, after, after);
  },
};

/** A register is an object: `swap` writes if the value is the expected one, and answers whether it was. */
const register: Sequential<number | null> = {
  start: null,
  step(value, { verb, given, ...operation }) {
    if (verb === "read") return unlessContradicted(operation, value, value);
    if (verb === "write") return unlessContradicted(operation, null, given as number);
    const { expected, to } = given as { expected: number | null; to: number };
    return value === expected ? unlessContradicted(operation, true, to) : unlessContradicted(operation, false, value);
  },
};

/** A list is an object: `append` answers with the length after it, and `read` with all elements. */
const list: Sequential<readonly number[]> = {
  start: [],
  step(elements, { verb, given, ...operation }) {
    if (verb === "read") return unlessContradicted(operation, elements, elements);
    const after = [...elements, given as number];
    return unlessContradicted(operation, after.length, after);
  },
};

/** A promise belongs to a workflow: the first `resolve` wins, and `peek` answers null until then. `result` waits for the workflow. */
const promise: Sequential<number | null> = {
  start: null,
  step(value, { verb, given, ...operation }) {
    if (verb === "peek") return unlessContradicted(operation, value, value);
    if (verb === "result") return value === null ? undefined : unlessContradicted(operation, value, value);
    return value === null
      ? unlessContradicted(operation, true, given as number)
      : unlessContradicted(operation, false, value);
  },
};

/** Several clients start one invocation under one idempotency key: all of them get the result of the first. */
const start: Sequential<number | null> = {
  start: null,
  step(first, { given, ...operation }) {
    const result = first ?? (given as number);
    return unlessContradicted(operation, result, result);
  },
};

export const THINGS = { counter, register, list, promise, start } as const;
export type Kind = keyof typeof THINGS;
export const KINDS = Object.keys(THINGS) as readonly Kind[];

/** An operation without an answer contradicts no state. A state of null is a state, and undefined is none. */
function unlessContradicted<State>(
  { answeredAt, answer }: Pick<Operation, "answeredAt" | "answer">,
  expected: unknown,
  after: State,
): State | undefined {
  return answeredAt === Infinity || JSON.stringify(answer) === JSON.stringify(expected) ? after : undefined;
}

export interface Judged {
  readonly thing: string;
  readonly verdict: Verdict;
  readonly operations: readonly Operation[];
}

/** @param operations the names of their things begin with the kind and a slash, such as `counter/a` */
export function judgeAll(operations: readonly Operation[]): readonly Judged[] {
  const byThing = groupedBy(operations, ({ thing }) => thing);
  return [...byThing].map(([thing, mine]) => {
    const alone: Sequential<unknown> = THINGS[thing.split("/")[0] as Kind];
    return { thing, verdict: judge(mine, alone), operations: mine };
  });
}
