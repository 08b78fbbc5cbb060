/** Writes what an invocation waits for, one line for each wait, and why it is paused. */
import type { PauseBody, WaitBody } from "../../shared/api/wire/invocation.ts";
import { momentText } from "./moment.ts";
import { foreignLine } from "./visible-text.ts";

/** @returns a line for each wait, and indented below it what the other invocation waits for */
export function waitLines(waits: readonly WaitBody[], indent = ""): readonly string[] {
  return waits.flatMap((wait) => [
    `${indent}${foreignLine(waitText(wait))}, since ${momentText(wait.since)}`,
    ...waitLines(wait.waits_for ?? [], `${indent}  `),
  ]);
}

function waitText(wait: WaitBody): string {
  const { name = "", attempt = 1, target = "", deployment_id: deployment = "" } = wait;
  const until = wait.until === undefined ? "" : momentText(wait.until);
  switch (wait.kind) {
    case "schedule":
      return `its start at ${until}`;
    case "key":
      return `its key: ${placeText(wait.place)}${wait.invocation_id === undefined ? "" : `; ${other(wait)} has the key`}`;
    case "retry": {
      const cause = wait.failure === undefined ? "" : `: ${wait.failure.error_code} ${firstLine(wait.failure.message)}`;
      return `attempt ${attempt} at ${until}${cause}`;
    }
    case "circuit":
      return `the circuit of its service on ${deployment}, open until ${until}: ${name}`;
    case "resume":
      return "an order to resume";
    case "driver":
      return "a driver";
    case "attempt":
      return `the answer of ${deployment === "" ? "its deployment" : deployment} to attempt ${attempt}`;
    case "call":
    case "attach":
      return other(wait);
    case "timer":
      return `a timer until ${until}`;
    case "promise":
      return `the promise "${name}" of ${target}`;
    case "awakeable":
      return `the awakeable ${wait.awakeable_id ?? ""}`;
    case "signal":
      return `the signal "${name}"`;
    default:
      return `${wait.type ?? wait.kind} ${name}`.trim();
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}

function placeText(place: number | undefined): string {
  return place === undefined ? "in the queue" : place === 1 ? "next" : `number ${place}`;
}

function other({ invocation_id: id = "", target = "", status }: WaitBody): string {
  return `${target} ${id}${status === undefined ? "" : ` (${status})`}`.trim();
}

export function pauseText({ reason, at, by, failure }: PauseBody): string {
  const cause = failure === undefined ? "" : `: ${failure.error_code} ${failure.message}`;
  const why = {
    order: `by order${by === undefined ? "" : ` of ${by}`}`,
    failure: `after a failure${cause}`,
    "process-ends": `because it ended processes${cause}`,
  };
  return foreignLine(`${why[reason]}, at ${momentText(at)}`);
}
