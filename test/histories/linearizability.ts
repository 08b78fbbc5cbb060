/**
 * Decides whether a history is linearizable: whether each operation can be given one moment between its question and its answer, so
 * that the operations in the order of these moments get exactly their answers from a thing that one client uses alone.
 *
 * The search is that of Wing and Gong with Lowe's memory of visited configurations ("Testing for linearizability", 2017).
 */
import type { Operation } from "./history.ts";

/** A thing as one client alone would see it. The state is immutable and has a JSON form. */
export interface Sequential<State> {
  readonly start: State;
  /** @returns the state after the operation; undefined if the thing in this state would have given another answer */
  step(state: State, operation: Operation): State | undefined;
}

export type Verdict =
  | { readonly kind: "linearizable" }
  /** `stuck` are the operations of which one must come next, and none can. */
  | { readonly kind: "violation"; readonly stuck: readonly Operation[] }
  /** The search was given up after this many configurations. */
  | { readonly kind: "undecided"; readonly configurations: number };

const CONFIGURATIONS_MAX = 500_000;

/** @param operations the operations on one thing; an operation without an answer may have had its effect, or not */
export function judge<State>(
  operations: readonly Operation[],
  { start, step }: Sequential<State>,
  configurationsMax = CONFIGURATIONS_MAX,
): Verdict {
  const byQuestion = operations.toSorted((one, other) => one.askedAt - other.askedAt);
  const answered = byQuestion.filter(({ answeredAt }) => answeredAt !== Infinity).length;
  const isPlaced = byQuestion.map(() => false);
  const visited = new Set<string>();
  const path: { readonly at: number; readonly before: State }[] = [];
  let [state, placedAnswered, from] = [start, 0, 0];
  let best: { readonly placed: number; readonly stuck: readonly Operation[] } = { placed: -1, stuck: [] };

  while (placedAnswered < answered) {
    const next = nextStep(from);
    if (next !== undefined) {
      path.push({ at: next.at, before: state });
      isPlaced[next.at] = true;
      if (byQuestion[next.at]!.answeredAt !== Infinity) placedAnswered++;
      [state, from] = [next.after, 0];
      continue;
    }
    if (placedAnswered > best.placed)
      best = { placed: placedAnswered, stuck: candidates().map((at) => byQuestion[at]!) };
    const last = path.pop();
    if (last === undefined) return { kind: "violation", stuck: best.stuck };
    if (visited.size > configurationsMax) return { kind: "undecided", configurations: visited.size };
    isPlaced[last.at] = false;
    if (byQuestion[last.at]!.answeredAt !== Infinity) placedAnswered--;
    [state, from] = [last.before, last.at + 1];
  }
  return { kind: "linearizable" };

  /** @returns the first operation from this place on that can come next and leads to a configuration that is new */
  function nextStep(fromAt: number): { readonly at: number; readonly after: State } | undefined {
    for (const at of candidates()) {
      if (at < fromAt) continue;
      const after = step(state, byQuestion[at]!);
      if (after === undefined) continue;
      isPlaced[at] = true;
      const configuration = `${isPlaced.map(Number).join("")} ${JSON.stringify(after)}`;
      isPlaced[at] = false;
      if (visited.has(configuration)) continue;
      visited.add(configuration);
      return { at, after };
    }
    return undefined;
  }

  /** @returns the operations that no other operation without a place must precede */
  function candidates(): number[] {
    let firstAnswer = Infinity;
    for (const [at, { answeredAt }] of byQuestion.entries())
      if (!isPlaced[at]! && answeredAt < firstAnswer) firstAnswer = answeredAt;
    return byQuestion.flatMap(({ askedAt }, at) => (!isPlaced[at]! && askedAt < firstAnswer ? [at] : []));
  }
}
