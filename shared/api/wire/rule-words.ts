/** The words about rules of flow control, for the command line and for the web UI. */
import type { RuleBody, RuleTrialBody, RuleTrialsBody } from "../contract/limits.ts";

/** @returns for example `5 at a time, 100/1m (2 at once)`, or `no limit` */
export function limitsText({ concurrency, rate, burst }: RuleBody["limits"]): string {
  const parts = [
    ...(concurrency === undefined ? [] : [`${concurrency} at a time`]),
    ...(rate === undefined ? [] : [burst === undefined ? rate : `${rate} (${burst} at once)`]),
  ];
  return parts.length === 0 ? "no limit" : parts.join(", ");
}

/** @param over the time of the trial in words, such as `1h` */
export function trialText(
  { matched, held_back: heldBack, longest_wait_ms: waitMs }: RuleTrialBody,
  { considered }: Pick<RuleTrialsBody, "considered">,
  over: string,
): string {
  const of = `of the ${count(matched)} that it counts, among the ${count(considered)} invocations of the last ${over}`;
  const wait = heldBack === 0 ? "" : `; the longest wait is ${secondsText(waitMs)}`;
  return `would have held back ${count(heldBack)} ${of}${wait}`;
}

/** @returns a sentence about a trial that did not read everything; undefined if it did */
export function partText({ complete, read }: RuleTrialsBody, since: string): string | undefined {
  if (complete) return undefined;
  return `The trial loaded ${count(read)} invocations, back to ${since}: others were too many, too large, or are gone.`;
}

/** @returns for example `1.4 s` */
export function secondsText(ms: number): string {
  return `${(ms / 1_000).toLocaleString("en-US", { maximumFractionDigits: 1 })} s`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
