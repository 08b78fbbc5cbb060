/** The words for one thing that an invocation waits for, for the command line and for the web UI. */
import type { PauseBody, WaitBody } from "../contract/invocations.ts";

/**
 * A text, or the id of an invocation, which a client may show as a link. A handler may have chosen the text or the id, so a
 * client trusts neither.
 */
export type WaitPart = { readonly text: string } | { readonly invocationId: string };

/** How a client writes moments: `at 14:03:07` or `in 42 s`, `until 14:03:07`, and `since 9 s`. */
export interface MomentWords {
  readonly at: (moment: string) => string;
  readonly until: (moment: string) => string;
  readonly since: (moment: string) => string;
}

export function waitParts(wait: WaitBody, moments: MomentWords): readonly WaitPart[] {
  const { kind, name = "", target = "" } = wait;
  const { at, until } = untilWords(wait, moments);
  const attempt = wait.attempt ?? 1;
  switch (kind) {
    case "schedule":
      return texts(`its start${at}`);
    case "key":
      return [...texts(`its key: ${placeText(wait.place)}`), ...holderParts(wait)];
    case "place":
    case "start":
      return texts(`${poolText(wait)}${lineText(wait, moments)}`);
    case "retry":
      return texts(`attempt ${attempt}${at}${causeText(wait)}`);
    case "circuit":
      return texts(`the circuit of its service on ${wait.deployment_id ?? ""}, open${until}: ${name}`);
    case "resume":
      return texts("an order to resume");
    case "driver":
      return texts("a driver");
    case "attempt":
      return texts(attemptText(wait, attempt));
    case "call":
    case "attach":
      return otherParts(wait);
    case "timer":
      return texts(`a timer${until}`);
    case "promise":
      return texts(`the promise "${name}" of ${target}`);
    case "awakeable":
      return texts(`the awakeable ${wait.awakeable_id ?? ""}`);
    case "signal":
      return texts(`the signal "${name}"`);
    case "command":
      return texts(`${wait.type ?? kind} ${name}`.trim());
    default:
      // A newer server may send a kind that this client does not know.
      return texts(`${wait.type ?? (kind satisfies never)} ${name}`.trim());
  }
}

/** The parts of `waitParts`, joined to one text. */
export function waitText(wait: WaitBody, moments: MomentWords): string {
  return waitParts(wait, moments)
    .map((part) => ("text" in part ? part.text : part.invocationId))
    .join("");
}

/** `chunk 94, and 2 more`: what the running attempt does; undefined if the journal does not show it. */
export function stepWords({ step }: WaitBody): string | undefined {
  if (step === undefined) return undefined;
  const name = step.name === "" ? "a step without a name" : step.name;
  return step.others === undefined ? name : `${name}, and ${step.others} more`;
}

export function pauseWords({ reason, by, failure }: PauseBody): string {
  const cause = failure === undefined ? "" : `: ${failure.error_code} ${failure.message}`;
  switch (reason) {
    case "order":
      return `by order${by === undefined ? "" : ` of ${by}`}`;
    case "failure":
      return `after a failure${cause}`;
    case "process-ends":
      return `because it ended processes${cause}`;
  }
}

function untilWords({ until }: WaitBody, moments: MomentWords): { readonly at: string; readonly until: string } {
  if (until === undefined) return { at: "", until: "" };
  return { at: ` ${moments.at(until)}`, until: ` ${moments.until(until)}` };
}

function texts(text: string): readonly WaitPart[] {
  return [{ text }];
}

function attemptText(wait: WaitBody, attempt: number): string {
  const [step, deployment] = [stepWords(wait), wait.deployment_id ?? "its deployment"];
  if (step === undefined) return `the answer of ${deployment} to attempt ${attempt}`;
  return `the step ${step}, which attempt ${attempt} runs on ${deployment}`;
}

function causeText({ failure }: WaitBody): string {
  return failure === undefined ? "" : `: ${failure.error_code} ${failure.message.split("\n", 1)[0]!}`;
}

/** `a place of acme (5 of 5 taken)`, `a start in acme`. */
function poolText({ kind, name = "", places, taken }: WaitBody): string {
  if (kind === "start") return `a start in ${name}`;
  return places === undefined ? `a place of ${name}` : `a place of ${name} (${taken ?? 0} of ${places} taken)`;
}

/** `: number 12 of 40, the oldest since 9 s`. */
function lineText({ place, waiting = 0, oldest_since: oldest }: WaitBody, { since }: MomentWords): string {
  if (place === undefined) return waiting === 0 ? "" : `, behind ${waiting} others`;
  const of = waiting > 1 ? `${placeText(place)} of ${waiting}` : placeText(place);
  return oldest === undefined || waiting < 2 ? `: ${of}` : `: ${of}, the oldest ${since(oldest)}`;
}

function placeText(place: number | undefined): string {
  return place === undefined ? "in the queue" : place === 1 ? "next" : `number ${place}`;
}

function holderParts(wait: WaitBody): readonly WaitPart[] {
  return wait.invocation_id === undefined ? [] : [{ text: "; " }, ...otherParts(wait), { text: " has the key" }];
}

function otherParts({ invocation_id: id, target = "", status }: WaitBody): readonly WaitPart[] {
  const parts: WaitPart[] = [];
  if (target !== "") parts.push({ text: id === undefined ? target : `${target} ` });
  if (id !== undefined) parts.push({ invocationId: id });
  if (status !== undefined) parts.push({ text: ` (${status})` });
  return parts;
}
