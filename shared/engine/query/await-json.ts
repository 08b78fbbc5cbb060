/** The await of a suspended invocation as JSON: a leaf names a completion or a signal, a node combines leaves and nodes. */
import type { Await, Combinator } from "../../core/model/await-tree.ts";

const NAMES: Readonly<Record<Combinator, string>> = {
  unknown: "Unknown",
  "first-completed": "FirstCompleted",
  "all-completed": "AllCompleted",
  "first-succeeded-or-all-failed": "FirstSucceededOrAllFailed",
  "all-succeeded-or-first-failed": "AllSucceededOrFirstFailed",
};

/** @returns plain JSON; it is as deep as the await, and the protocol bounds the depth of an await */
export function awaitJson({ completions, signals, namedSignals, nested, combinator }: Await): unknown {
  const leaves = [
    ...completions.map((id) => ({ CompletionId: id })),
    ...signals.map((index) => ({ SignalIndex: index })),
    ...namedSignals.map((name) => ({ SignalName: name })),
  ];
  const children = [...leaves.map((leaf) => ({ Single: leaf })), ...nested.map(awaitJson)];
  return children.length === 1 && combinator === "unknown" ? children[0] : { [NAMES[combinator]]: children };
}
