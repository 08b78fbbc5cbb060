/** Plays a history through the specification and through the product, and compares all that can be seen after each operation. */
import { Random } from "../simulation/random.ts";
import { drawOperation } from "./draw.ts";
import { apply } from "./model/apply.ts";
import { CODES } from "./model/codes.ts";
import { type Looking, observe, type Observation } from "./model/observe.ts";
import { renamed, type State } from "./model/state.ts";
import type { Operation } from "./model/words.ts";
import { BEGIN_MS } from "./product/history-clock.ts";
import { Product } from "./product/product.ts";
import type { Sabotage } from "./product/process.ts";

export interface Disagreement {
  /** The index of the operation after which the two disagreed. */
  readonly at: number;
  /** Each line: what it is about, what the specification expects, what the product shows. */
  readonly lines: readonly { readonly what: string; readonly expected: string; readonly actual: string }[];
}

export interface Played {
  readonly operations: readonly Operation[];
  readonly disagreement: Disagreement | undefined;
  readonly statesMax: number;
}

export const KEYS = ["Account/a", "Account/b", "Order/a", "Order/b"];
export const URI = "http://first.test:9080/";
const FIRST: Operation = { do: "register", name: "d0", uri: URI, code: "first", force: false };
const CHANGES_CATALOGUE: ReadonlySet<Operation["do"]> = new Set([
  "register",
  "update",
  "remove",
  "connect",
  "disconnect",
  "subscribe",
  "unsubscribe",
  "hold",
  "release",
]);

export const BEGINNING: State = {
  nowMs: BEGIN_MS,
  invocations: {},
  keys: {},
  requests: [],
  former: {},
  cancels: [],
  catalogue: {
    clusters: [],
    subscriptions: [],
    deployments: [
      {
        name: "d0",
        uri: URI,
        code: CODES["first"]!,
        revisions: Object.fromEntries(Object.keys(CODES["first"]!).map((service) => [service, 1])),
      },
    ],
  },
};

/** The specification's own mistakes, for tests of the comparison. */
export type Rules = typeof apply;

export interface Playing {
  /** Chooses the next operation in view of a possible state; undefined ends the history. */
  readonly next: (state: State, number: number) => Operation | undefined;
  readonly sabotage?: Sabotage | undefined;
  readonly rules?: Rules;
}

/** @param operations how many */
export function drawn(seed: number, operations: number): Playing["next"] {
  const random = new Random(seed);
  return (state, number) => (number < operations ? drawOperation(random, state, number + 1) : undefined);
}

export function listed(operations: readonly Operation[]): Playing["next"] {
  return (_, number) => operations[number];
}

export async function play({ next, sabotage, rules = apply }: Playing): Promise<Played> {
  const product = new Product(sabotage);
  const operations: Operation[] = [];
  let states: readonly State[] = [BEGINNING];
  let statesMax = 1;
  try {
    await product.open();
    await product.do(FIRST);
    product.forgetAnswers();
    states = [{ ...BEGINNING, nowMs: product.nowMs }];
    for (let number = 0; ; number++) {
      const operation = next(states[0]!, number);
      if (operation === undefined) return { operations, disagreement: undefined, statesMax };
      operations.push(operation);
      await product.do(operation);
      const looking: Looking = {
        keys: [KEYS[number % KEYS.length]!],
        atCatalogue: number % 10 === 9 || CHANGES_CATALOGUE.has(operation.do),
      };
      const possible = states.flatMap((state) => rules(state, operation));
      const expected = possible.flatMap(({ invocations }) => Object.values(invocations));
      const seen = await product.observe(looking, new Map(expected.map(({ name, target }) => [name, target])));
      const fittingOf = (all: readonly State[]): readonly State[] =>
        all
          .map((state) => inWordsOf(product, state))
          .filter((state) => lines(observe(state, looking), seen).length === 0);
      let fitting = fittingOf(possible);
      if (fitting.length === 0) fitting = fittingOf(states.flatMap((state) => rules(state, operation, true)));
      if (fitting.length === 0)
        return {
          operations,
          disagreement: { at: number, lines: lines(observe(possible[0]!, looking), seen) },
          statesMax,
        };
      statesMax = Math.max(statesMax, fitting.length);
      // Requests of an observation may take time.
      states = fitting.map((state) => ({ ...state, nowMs: product.nowMs }));
    }
  } finally {
    product.close();
  }
}

/** Two callers may race to start one invocation. It is then called after one of them, whichever the state has as the first. */
function inWordsOf(product: Product, state: State): State {
  let told = state;
  for (const name of Object.keys(state.invocations)) {
    const other = product.otherNameOf(name);
    if (other !== undefined && told.invocations[other] === undefined) told = renamed(told, name, other);
  }
  return told;
}

function lines(expected: Observation, actual: Observation): Disagreement["lines"] {
  const all = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...all].flatMap((what) => {
    const [one, other] = [expected[what] ?? "nothing", actual[what] ?? "nothing"];
    return one === other ? [] : [{ what, expected: one, actual: other }];
  });
}
