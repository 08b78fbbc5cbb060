/** Tests when an await is satisfied: a table of combinators, and comparison with a second evaluator. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  awaitedCompletions,
  isEmptyAwait,
  isSatisfied,
  type Await,
  type Combinator,
  type Fresh,
  type ResultKind,
} from "../../../shared/core/model/await-tree.ts";

const node = (combinator: Combinator, ...children: (number | Await)[]): Await => ({
  completions: children.filter((child) => typeof child === "number"),
  signals: [],
  namedSignals: [],
  nested: children.filter((child) => typeof child !== "number"),
  combinator,
});
const fresh = (outcomes: Record<number, ResultKind>): Fresh => ({
  completions: new Map(Object.entries(outcomes).map(([id, outcome]) => [Number(id), outcome])),
  signals: new Map(),
  namedSignals: new Map(),
});
const [S, F]: ResultKind[] = ["success", "failure"] as const;
const any = "first-succeeded-or-all-failed";
const all = "all-succeeded-or-first-failed";

test.each<[what: string, tree: Await, outcomes: Record<number, ResultKind>, over: boolean]>([
  ["first completed: nothing", node("first-completed", 1, 2), {}, false],
  ["first completed: one", node("first-completed", 1, 2), { 2: F! }, true],
  ["first completed: an id that is not awaited", node("first-completed", 1, 2), { 3: S! }, false],
  ["unknown: one", node("unknown", 1, 2), { 1: S! }, true],
  ["all completed: one of two", node("all-completed", 1, 2), { 1: F! }, false],
  ["all completed: both", node("all-completed", 1, 2), { 1: F!, 2: S! }, true],
  ["any: one failure of two", node(any, 1, 2), { 1: F! }, false],
  ["any: all failures", node(any, 1, 2), { 1: F!, 2: F! }, true],
  ["any: one success", node(any, 1, 2), { 2: S! }, true],
  ["all: one success of two", node(all, 1, 2), { 1: S! }, false],
  ["all: one failure", node(all, 1, 2), { 2: F! }, true],
  ["all: both", node(all, 1, 2), { 1: S!, 2: S! }, true],
  ["all, above a first-completed node that failed", node(all, node("first-completed", 1, 2), 3), { 1: F! }, true],
  ["all, above a first-completed node that succeeded", node(all, node("first-completed", 1, 2), 3), { 1: S! }, false],
  [
    "all, above an unknown: the verdict depends on the unknown outcome, so the handler resumes",
    node(all, node("unknown", 1), 2),
    { 1: S! },
    true,
  ],
  [
    "any, above an unknown: the verdict depends on the unknown outcome, so the handler resumes",
    node(any, node("unknown", 1), 2),
    { 1: F! },
    true,
  ],
  [
    "all completed, above an unknown: the verdict does not depend on the unknown outcome",
    node("all-completed", node("unknown", 1), 2),
    { 1: F! },
    false,
  ],
  [
    "an all that depends on an unknown, below a pending node",
    node("all-completed", node(all, node("unknown", 1), 2), 3),
    { 1: S! },
    true,
  ],
  [
    "any: an all-completed node below it succeeds, although its child failed",
    node(any, node("all-completed", 1), 2),
    { 1: F! },
    true,
  ],
  [
    "all, above a first-completed node with a success and a failure: the verdict depends on their order, so the handler resumes",
    node(all, node("first-completed", 1, 2), 3),
    { 1: S!, 2: F! },
    true,
  ],
])("%s", (_what, tree, outcomes, over) => {
  expect(isSatisfied(tree, fresh(outcomes))).toBe(over);
});

test("completions, signals and named signals are distinct", () => {
  const tree: Await = { ...node("first-completed", 1), signals: [17], namedSignals: ["1"] };
  const nothing = fresh({});
  expect(isSatisfied(tree, { ...nothing, signals: new Map([[1, S!]]) })).toBe(false);
  expect(isSatisfied(tree, { ...nothing, signals: new Map([[17, S!]]) })).toBe(true);
  expect(isSatisfied(tree, { ...nothing, namedSignals: new Map([["1", F!]]) })).toBe(true);
});

test("awaited completions are those of every level, once each", () => {
  expect(awaitedCompletions(node("unknown", 1, node(all, 2, 1, node(any, 3))))).toEqual(new Set([1, 2, 3]));
  expect(isEmptyAwait(node("unknown", node(all), node(any)))).toBe(true);
  expect(isEmptyAwait(node("unknown", node(all, node(any, 3))))).toBe(false);
});

test("a tree that is too deep is refused without exhausting the stack", () => {
  let tree = node("first-completed", 1);
  for (let depth = 1; depth < 100_000; depth++) tree = node("first-completed", tree);
  expect(() => isSatisfied(tree, fresh({}))).toThrow("deeper than 1000");
  expect(awaitedCompletions(tree)).toEqual(new Set([1]));
});

const combinators: Combinator[] = ["unknown", "first-completed", "all-completed", any, all];
const anyTree = treesOf(3);

function treesOf(depthMax: number): fc.Arbitrary<Await> {
  return fc.record({
    completions: fc.array(fc.nat(5), { maxLength: 3 }),
    signals: fc.array(fc.nat(2), { maxLength: 1 }),
    namedSignals: fc.array(fc.constantFrom("a", "b"), { maxLength: 1 }),
    nested: depthMax === 0 ? fc.constant([]) : fc.array(treesOf(depthMax - 1), { maxLength: 3 }),
    combinator: fc.constantFrom(...combinators),
  });
}
const outcome = fc.constantFrom<ResultKind>("success", "failure");
const anyFresh: fc.Arbitrary<Fresh> = fc.record({
  completions: fc.uniqueArray(fc.tuple(fc.nat(5), outcome), { selector: ([id]) => id }).map((pairs) => new Map(pairs)),
  signals: fc.uniqueArray(fc.tuple(fc.nat(2), outcome), { selector: ([id]) => id }).map((pairs) => new Map(pairs)),
  namedSignals: fc
    .uniqueArray(fc.tuple(fc.constantFrom("a", "b"), outcome), { selector: ([id]) => id })
    .map((pairs) => new Map(pairs)),
});

/**
 * The second evaluator.
 * @returns the possible outcomes of the node, an empty set while the node is pending; null if the node, or a node
 *   below it, is an `any` or an `all` with a child that may count as a success or as a failure
 */
function outcomesOf(tree: Await, known: Fresh): ReadonlySet<ResultKind> | null {
  const leaves = [
    ...tree.completions.map((id) => known.completions.get(id)),
    ...tree.signals.map((id) => known.signals.get(id)),
    ...tree.namedSignals.map((id) => known.namedSignals.get(id)),
  ].map((leaf) => new Set(leaf === undefined ? [] : [leaf]));
  const children: ReadonlySet<ResultKind>[] = leaves;
  for (const child of tree.nested) {
    const inner = outcomesOf(child, known);
    if (inner === null) return null;
    children.push(inner);
  }
  const union = children.reduce<ReadonlySet<ResultKind>>((sum, child) => new Set([...sum, ...child]), new Set());
  const ready = children.filter((child) => child.size > 0).length;
  if (tree.combinator === "first-completed") return union;
  if (tree.combinator === "unknown") return ready > 0 ? new Set<ResultKind>(["success", "failure"]) : union;
  if (tree.combinator === "all-completed")
    return ready === children.length ? new Set<ResultKind>(["success"]) : new Set();
  if (children.some((child) => child.size === 2)) return null;
  const wins: ResultKind = tree.combinator === any ? "success" : "failure";
  if (union.has(wins)) return new Set([wins]);
  const loses: ResultKind = wins === "success" ? "failure" : "success";
  return ready === children.length ? new Set([loses]) : new Set();
}

describe("for any tree and any notifications", () => {
  test("two evaluators agree", () => {
    const verdicts = { over: 0, waiting: 0 };
    fc.assert(
      fc.property(anyTree, anyFresh, (tree, known) => {
        const possible = outcomesOf(tree, known);
        const over = possible === null || possible.size > 0;
        verdicts[over ? "over" : "waiting"]++;
        expect(isSatisfied(tree, known)).toBe(over);
      }),
      { numRuns: 3000 },
    );
    expect(verdicts.over).toBeGreaterThan(100);
    expect(verdicts.waiting).toBeGreaterThan(100);
  });

  test("a satisfied await stays satisfied when more notifications arrive", () => {
    fc.assert(
      fc.property(anyTree, anyFresh, anyFresh, (tree, first, more) => {
        const both: Fresh = {
          completions: new Map([...more.completions, ...first.completions]),
          signals: new Map([...more.signals, ...first.signals]),
          namedSignals: new Map([...more.namedSignals, ...first.namedSignals]),
        };
        if (isSatisfied(tree, first)) expect(isSatisfied(tree, both)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
