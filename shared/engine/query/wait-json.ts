/** Converts the waits of an invocation, and the await of a suspended one, to the JSON of SQL cells. */
import { momentIso } from "../../core/model/moment.ts";
import type { WaitView } from "../ports/submission.ts";
import type { Await, Combinator } from "../../core/model/await-tree.ts";

/** @returns a list; the failures are without their stack traces */
export function waitsJson(waits: readonly WaitView[]): string {
  return JSON.stringify(waits.map(waitJson));
}

/** Members that are undefined are absent from the JSON. */
function waitJson({ failure, ...wait }: WaitView): unknown {
  return {
    kind: wait.kind,
    since: momentIso(wait.sinceMs),
    until: momentOf(wait.untilMs),
    attempt: wait.attempt,
    failure: failure && {
      error_code: failure.errorCode,
      code: failure.code,
      message: failure.message,
      at: momentIso(failure.atMs),
    },
    deployment_id: wait.deploymentId,
    silent_since: momentOf(wait.silentSinceMs),
    step: wait.step && {
      name: wait.step.name,
      since: momentIso(wait.step.sinceMs),
      others: wait.step.others === 0 ? undefined : wait.step.others,
    },
    place: wait.place,
    awakeable_id: wait.awakeableId,
    name: wait.name,
    type: wait.type,
    target: wait.target,
    invocation_id: wait.invocationId,
  };
}

function momentOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : momentIso(atMs);
}

const NAMES: Readonly<Record<Combinator, string>> = {
  unknown: "Unknown",
  "first-completed": "FirstCompleted",
  "all-completed": "AllCompleted",
  "first-succeeded-or-all-failed": "FirstSucceededOrAllFailed",
  "all-succeeded-or-first-failed": "AllSucceededOrFirstFailed",
};

/** A leaf names a completion or a signal, a node combines leaves and nodes. @returns plain JSON; it is as deep as the await, and the protocol bounds the depth of an await */
export function awaitJson({ completions, signals, namedSignals, nested, combinator }: Await): unknown {
  const leaves = [
    ...completions.map((id) => ({ CompletionId: id })),
    ...signals.map((index) => ({ SignalIndex: index })),
    ...namedSignals.map((name) => ({ SignalName: name })),
  ];
  const children = [...leaves.map((leaf) => ({ Single: leaf })), ...nested.map(awaitJson)];
  return children.length === 1 && combinator === "unknown" ? children[0] : { [NAMES[combinator]]: children };
}
