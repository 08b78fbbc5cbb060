/**
 * The await of a suspended invocation, and the judgement whether fresh notifications satisfy it (I5).
 *
 * More notifications only raise the verdict of a node: from pending to success or failure, then to either, then to
 * resume. It is therefore safe to judge again from scratch after each new notification.
 */
import { NESTING_MAX, Proto3Error } from "./proto3.ts";

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

export type ResultKind = "success" | "failure";

/** Fresh notifications, which were not sent to the suspended attempt. Of several with the same id, the first counts. */
export interface Fresh {
  readonly completions: ReadonlyMap<number, ResultKind>;
  readonly signals: ReadonlyMap<number, ResultKind>;
  readonly namedSignals: ReadonlyMap<string, ResultKind>;
}

/**
 * `either`: the node is complete, but its outcome is unknown. `resume`: the node depends on the unknown outcome of a node below
 * it, so the invocation resumes, and the handler decides.
 */
type Verdict = "pending" | ResultKind | "either" | "resume";

/** @returns whether the invocation can advance now. @throws Proto3Error if the tree is deeper than the wire allows */
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

/** The order in which the children completed is unknown. If their outcomes differ, the node's outcome is unknown too. */
function firstCompleted(children: readonly Verdict[]): Verdict {
  const outcomes = new Set(children.filter((child) => child !== "pending"));
  if (outcomes.size === 0) return "pending";
  return outcomes.size === 1 ? [...outcomes][0]! : "either";
}

/** One child with the deciding outcome decides; the opposite outcome needs all children. */
function decided(children: readonly Verdict[], deciding: ResultKind, opposite: ResultKind): Verdict {
  if (children.includes("either")) return "resume";
  if (children.includes(deciding)) return deciding;
  return children.includes("pending") ? "pending" : opposite;
}

/** Every completion id in the tree, once each, in no particular order. */
export function awaitedCompletions(tree: Await): ReadonlySet<number> {
  const ids = new Set<number>();
  const nodes: Await[] = [tree];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    for (const id of node.completions) ids.add(id);
    for (const child of node.nested) nodes.push(child);
  }
  return ids;
}

/** @returns true if the tree names at least one of the notifications */
export function namesAny(tree: Await, { completions, signals, namedSignals }: Fresh): boolean {
  const nodes: Await[] = [tree];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.completions.some((id) => completions.has(id))) return true;
    if (node.signals.some((index) => signals.has(index))) return true;
    if (node.namedSignals.some((name) => namedSignals.has(name))) return true;
    for (const child of node.nested) nodes.push(child);
  }
  return false;
}

/** @returns true if the tree names no completion and no signal */
export function isEmptyAwait(tree: Await): boolean {
  const nodes: Await[] = [tree];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.completions.length + node.signals.length + node.namedSignals.length > 0) return false;
    for (const child of node.nested) nodes.push(child);
  }
  return true;
}

function checkDepth(depth: number): void {
  if (depth > NESTING_MAX) throw new Proto3Error(`an await nests deeper than ${NESTING_MAX} levels`);
}
