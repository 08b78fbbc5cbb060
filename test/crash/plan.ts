/** The plan of an invocation, as data: the deployment executes it, and the checks derive the expected outcome from it. */

export type Op =
  /** One closure. */
  | { readonly kind: "run"; readonly step: string }
  /** A closure that throws `failures` times, counted over all its executions, and then succeeds. */
  | { readonly kind: "failing-run"; readonly step: string; readonly failures: number }
  /** Closures that are awaited together. */
  | { readonly kind: "parallel"; readonly steps: readonly string[] }
  /** A sleep between two closures; a random value is drawn before it and drawn again after it. */
  | { readonly kind: "sleep"; readonly before: string; readonly after: string; readonly ms: number }
  | { readonly kind: "call"; readonly plan: Plan }
  | { readonly kind: "send"; readonly plan: Plan; readonly delayMs: number }
  /** Another invocation, sent with a delay, completes the awakeable with the random nonce that its own closure has returned. */
  | { readonly kind: "awakeable"; readonly publish: string; readonly delayMs: number }
  /** A call, a sleep and a closure that are awaited together. */
  | { readonly kind: "together"; readonly plan: Plan; readonly ms: number; readonly step: string }
  /** Several sends to one key, and then a call to the same key. */
  | { readonly kind: "adds"; readonly key: string; readonly sends: number }
  /** A workflow, and two invocations that try to complete its promise, each after a delay. At the end, the state is read. */
  | { readonly kind: "workflow"; readonly name: string; readonly delaysMs: readonly number[] };

export interface Plan {
  readonly ops: readonly Op[];
  /** A plan with a key belongs to the handler `add` of the object with this key. */
  readonly key?: string;
}

/** Returns a random number in [0, 1). */
export type Random = () => number;

/** The same seed gives the same numbers (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Both bounds included. */
export function between(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

const run = (step: string): Op => ({ kind: "run", step });
const runs = (count: number, name = "step"): Op[] => Array.from({ length: count }, (_, n) => run(`${name} ${n}`));
const parallel = (count: number, name: string): Op => ({
  kind: "parallel",
  steps: Array.from({ length: count }, (_, n) => `${name} ${n}`),
});
const sleep = (ms: number, name = "sleep"): Op => ({
  kind: "sleep",
  before: `before the ${name}`,
  after: `after the ${name}`,
  ms,
});
const call = (...ops: readonly Op[]): Op => ({ kind: "call", plan: { ops } });
const send = (delayMs: number, ...ops: readonly Op[]): Op => ({ kind: "send", plan: { ops }, delayMs });

/** The closures of an add, which holds its key from the first closure to the last. */
export const ADD_OPS: readonly Op[] = [run("enter"), run("leave")];
/** The closures of a workflow's run, before its promise and after it. */
export const WORKFLOW_OPS: readonly Op[] = [run("begin"), run("end")];
/** Few keys, so that many invocations wait for each. */
export const KEYS = ["left", "a/b ü"] as const;
const key = (random: Random): string => KEYS[between(random, 0, KEYS.length - 1)]!;
const adds = (random: Random): Op => ({ kind: "adds", key: key(random), sends: between(random, 1, 4) });
const workflow = (random: Random, name: string): Op => ({
  kind: "workflow",
  name,
  delaysMs: [0, 1].map(() => between(random, 0, 1) * between(random, 200, 4_000)),
});

type Shape = (random: Random) => readonly Op[];

const SHAPES: Readonly<Record<string, Shape>> = {
  "sequential runs": (random) => runs(between(random, 12, 24)),
  "parallel runs": (random) => [parallel(between(random, 3, 6), "left"), run("middle"), parallel(5, "right")],
  "a long sleep": (random) => [sleep(between(random, 7_000, 13_000))],
  "two sleeps": (random) => [
    sleep(between(random, 3_000, 6_000), "first"),
    run("between"),
    sleep(between(random, 3_000, 6_000), "second"),
  ],
  "a call": (random) => [run("first"), call(...runs(2), sleep(between(random, 2_000, 5_000))), run("last")],
  "a chain of calls": (random) => [
    run("a"),
    call(run("b"), call(run("c"), call(run("d"), sleep(between(random, 1_000, 4_000))), run("e")), run("f")),
    run("g"),
  ],
  sends: (random) => [
    run("first"),
    send(0, ...runs(3)),
    send(between(random, 2_000, 8_000), run("late"), sleep(between(random, 500, 2_000))),
    send(0, run("beside")),
    run("last"),
  ],
  "an awakeable": (random) => [
    { kind: "awakeable", publish: "publish", delayMs: between(random, 0, 1) * between(random, 1_000, 8_000) },
    run("last"),
  ],
  "failing runs": (random) => [
    { kind: "failing-run", step: "failing", failures: between(random, 2, 4) },
    run("between"),
    { kind: "failing-run", step: "failing again", failures: between(random, 1, 3) },
  ],
  "all at once": (random) => [
    {
      kind: "together",
      plan: { ops: [run("child"), sleep(between(random, 1_000, 3_000)), run("child again")] },
      ms: between(random, 3_000, 8_000),
      step: "beside",
    },
    send(between(random, 500, 3_000), run("at last")),
    run("last"),
  ],
  "adds to objects": (random) => [adds(random), run("between"), adds(random)],
  workflows: (random) => [workflow(random, "first"), adds(random), workflow(random, "second")],
};

/** An add without a calling handler. */
const PLAIN_ADD = "a plain add";

export const SHAPE_NAMES: readonly string[] = [...Object.keys(SHAPES), PLAIN_ADD];

export function planOf(shape: string, random: Random): Plan {
  if (shape === PLAIN_ADD) return { ops: ADD_OPS, key: key(random) };
  return { ops: SHAPES[shape]!(random) };
}
