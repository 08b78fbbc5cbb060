/**
 * What a suspended invocation waits on, and whether fresh notifications end the wait (I5).
 *
 * A node's verdict only ever rises, from pending over success or failure to either and to resume, when more
 * notifications are known. So it may be judged again from scratch at each notification.
 */
import { decode } from "../model/proto3-decode.ts";
import { encode } from "../model/proto3-encode.ts";
import { NESTING_MAX, Proto3Error } from "../model/proto3.ts";
import { FutureMessage } from "./wire-values.ts";
import type { FutureNode } from "./wire-values.ts";

export type Combinator =
  | "unknown"
  | "first-completed"
  | "all-completed"
  | "first-succeeded-or-all-failed"
  | "all-succeeded-or-first-failed";

export interface Await {
  readonly completions: readonly number[];
  readonly signals: readonly number[];
  readonly namedSignals: readonly string[];
  readonly nested: readonly Await[];
  readonly combinator: Combinator;
}

export type Outcome = "success" | "failure";

/** The fresh notifications: those that the attempt which suspended had not been sent. Where an id came twice, the first counts. */
export interface Fresh {
  readonly completions: ReadonlyMap<number, Outcome>;
  readonly signals: ReadonlyMap<number, Outcome>;
  readonly namedSignals: ReadonlyMap<string, Outcome>;
}

/** `either` is complete with an outcome that cannot be told; `resume` means that one such had to be judged. */
type Verdict = "pending" | Outcome | "either" | "resume";

const COMBINATORS: readonly Combinator[] = [
  "unknown",
  "first-completed",
  "all-completed",
  "first-succeeded-or-all-failed",
  "all-succeeded-or-first-failed",
];

/** @returns whether the invocation can advance now. @throws Proto3Error when the tree is deeper than the wire allows */
export function isSatisfied(tree: Await, fresh: Fresh): boolean {
  return verdictOf(tree, fresh, 1) !== "pending";
}

function verdictOf(node: Await, fresh: Fresh, depth: number): Verdict {
  checkDepth(depth);
  const children: Verdict[] = [];
  for (const id of node.completions) children.push(fresh.completions.get(id) ?? "pending");
  for (const index of node.signals) children.push(fresh.signals.get(index) ?? "pending");
  for (const name of node.namedSignals) children.push(fresh.namedSignals.get(name) ?? "pending");
  for (const child of node.nested) children.push(verdictOf(child, fresh, depth + 1));
  return children.includes("resume") ? "resume" : combine(node.combinator, children);
}

function combine(combinator: Combinator, children: readonly Verdict[]): Verdict {
  switch (combinator) {
    case "unknown":
      return children.every((child) => child === "pending") ? "pending" : "either";
    case "first-completed":
      return firstCompleted(children);
    case "all-completed":
      return children.includes("pending") ? "pending" : "success";
    case "first-succeeded-or-all-failed":
      return decided(children, "success", "failure");
    case "all-succeeded-or-first-failed":
      return decided(children, "failure", "success");
  }
}

/** Which of several completed children came first is not known here: when their outcomes differ, the node's cannot be told. */
function firstCompleted(children: readonly Verdict[]): Verdict {
  const outcomes = new Set(children.filter((child) => child !== "pending"));
  if (outcomes.size === 0) return "pending";
  return outcomes.size === 1 ? [...outcomes][0]! : "either";
}

/** One child with the deciding outcome is enough for it; the opposite outcome needs every child. */
function decided(children: readonly Verdict[], deciding: Outcome, opposite: Outcome): Verdict {
  if (children.includes("either")) return "resume";
  if (children.includes(deciding)) return deciding;
  return children.includes("pending") ? "pending" : opposite;
}

/** Every completion id in the tree, in no particular order, once each. */
export function awaitedCompletions(tree: Await): ReadonlySet<number> {
  const ids = new Set<number>();
  const nodes: Await[] = [tree];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    for (const id of node.completions) ids.add(id);
    for (const child of node.nested) nodes.push(child);
  }
  return ids;
}

/** @returns whether nothing in the tree could ever complete */
export function isEmptyAwait(tree: Await): boolean {
  const nodes: Await[] = [tree];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.completions.length + node.signals.length + node.namedSignals.length > 0) return false;
    for (const child of node.nested) nodes.push(child);
  }
  return true;
}

/** @throws Proto3Error when the tree is deeper than the wire allows */
export function encodeAwait(tree: Await): Uint8Array {
  return encode(FutureMessage, nodeOfAwait(tree, 1));
}

/** @throws Proto3Error for bytes that are no tree */
export function decodeAwait(bytes: Uint8Array): Await {
  return awaitOfNode(decode(FutureMessage, bytes));
}

/** @param node as decoded, so not deeper than the wire allows; combinators that we do not know count as `unknown` */
export function awaitOfNode(node: FutureNode): Await {
  return { ...node, nested: node.nested.map(awaitOfNode), combinator: COMBINATORS[node.combinator] ?? "unknown" };
}

function nodeOfAwait(tree: Await, depth: number): FutureNode {
  checkDepth(depth);
  const nested = tree.nested.map((child) => nodeOfAwait(child, depth + 1));
  return { ...tree, nested, combinator: COMBINATORS.indexOf(tree.combinator) };
}

function checkDepth(depth: number): void {
  if (depth > NESTING_MAX) throw new Proto3Error(`an await nests deeper than ${NESTING_MAX} levels`);
}
