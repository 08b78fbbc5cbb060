/** The reason for the status of an invocation in a few words: its wait, or the head of its error. */
import type { InvocationSummaryBody, WaitBody } from "../../shared/api/contract/invocations.ts";
import { stepWords } from "../../shared/api/wire/wait-words.ts";
import { durationText, momentOf } from "./time-text.ts";

export type WhyRow = Pick<
  InvocationSummaryBody,
  "status" | "outcome" | "error" | "waits_for" | "next_retry_at" | "wake_at"
>;

const MESSAGE_CHARS = 160;

export function whyText(row: WhyRow, nowMs: number): string {
  const { status, error, waits_for: waits = [] } = row;
  const head = error === undefined ? "" : errorHead(error);
  switch (status) {
    // A cancel and a kill have no other reason than the order.
    case "completed":
      return row.outcome === "failed" ? head : "";
    case "backing-off": {
      const circuit = waits.find(({ kind }) => kind === "circuit");
      const until = momentOf(row.next_retry_at) ?? momentOf(waits[0]?.until);
      const next = until === undefined ? "" : `next attempt ${soon(until, nowMs)}`;
      return joined(circuit === undefined ? "" : "circuit open", next, head);
    }
    case "paused":
      return joined("goes on when it is resumed", head);
    case "ready":
      return joined("waits for a driver", head);
    case "scheduled": {
      const start = momentOf(row.wake_at) ?? momentOf(waits[0]?.until);
      return start === undefined ? "" : `starts ${soon(start, nowMs)}`;
    }
    case "running":
      return joined(waits.map((wait) => waitText(wait, nowMs))[0] ?? "", head);
    case "pending":
    case "suspended":
      return joined(waitsText(waits, nowMs) || wakeText(row, nowMs), head);
  }
}

/** The first wait, and how many others there are. */
export function waitsText(waits: readonly WaitBody[], nowMs: number): string {
  const [first, ...rest] = waits;
  if (first === undefined) return "";
  return `${waitText(first, nowMs)}${rest.length === 0 ? "" : `, and ${rest.length} more`}`;
}

export function waitText(wait: WaitBody, nowMs: number): string {
  const until = momentOf(wait.until);
  switch (wait.kind) {
    case "schedule":
      return until === undefined ? "waits for its start" : `starts ${soon(until, nowMs)}`;
    case "key":
      return wait.place === undefined ? "waits for its key" : `waits for its key, place ${wait.place}`;
    case "place":
      return wait.place === undefined
        ? `waits for a place of ${wait.name ?? "a pool"}`
        : `waits for a place of ${wait.name ?? "a pool"}, ${wait.place} of ${wait.waiting ?? wait.place} in line`;
    case "start":
      return until === undefined || wait.place !== 1
        ? `waits for a start in ${wait.name ?? "a pool"}`
        : `starts in ${wait.name ?? "a pool"} ${soon(until, nowMs)}`;
    case "retry":
      return until === undefined ? "waits for its next attempt" : `next attempt ${soon(until, nowMs)}`;
    case "circuit":
      return `circuit open: ${wait.name ?? "all attempts of the service fail"}`;
    case "resume":
      return "goes on when it is resumed";
    case "driver":
      return "waits for a driver";
    case "attempt": {
      const silentSince = momentOf(wait.silent_since);
      if (silentSince !== undefined) return `handler silent for ${durationText(nowMs - silentSince)}`;
      return runsText(wait, nowMs) ?? `attempt ${wait.attempt ?? 1} runs`;
    }
    case "call":
      return `waits for the call of ${wait.target ?? "another invocation"}`;
    case "attach":
      return `waits for the result of ${wait.target ?? wait.invocation_id ?? "another invocation"}`;
    case "timer":
      return until === undefined ? "sleeps" : `sleeps, wakes ${soon(until, nowMs)}`;
    case "promise":
      return `waits for the promise ${wait.name ?? ""}`;
    case "awakeable":
      return `waits for the awakeable ${wait.awakeable_id ?? ""}`;
    case "signal":
      return `waits for the signal ${wait.name ?? ""}`;
    case "command":
      return `waits for ${wait.name ?? wait.type ?? wait.kind}`;
    default:
      // A newer server may send a kind that this page does not know.
      return `waits for ${wait.name ?? wait.type ?? (wait.kind satisfies never)}`;
  }
}

/** `runs chunk 94, 3 s`; undefined if the journal shows no step that runs. */
export function runsText(wait: WaitBody, nowMs: number): string | undefined {
  const words = stepWords(wait);
  const sinceMs = momentOf(wait.step?.since);
  if (words === undefined || sinceMs === undefined) return undefined;
  return `runs ${words}, ${durationText(wholeSeconds(Math.max(0, nowMs - sinceMs)))}`;
}

/**
 * Returns the code of the error, followed by the first line of its message. If the message begins with the code in brackets, this
 * function returns only the line. The code of some errors is an HTTP status: the status that the caller got.
 */
export function errorHead({ code, message }: { readonly code: string; readonly message: string }): string {
  const line = message.split("\n", 1)[0]!;
  const isInside = line.startsWith(`[${code}]`);
  const text = line.length > MESSAGE_CHARS ? `${line.slice(0, MESSAGE_CHARS)}…` : line;
  return isInside ? text : `${code} ${text}`;
}

function wakeText({ wake_at: wakeAt }: WhyRow, nowMs: number): string {
  const at = momentOf(wakeAt);
  return at === undefined ? "" : `wakes ${soon(at, nowMs)}`;
}

/** `in 42 s`; `due 3 m ago` if the moment has passed. */
export function soon(atMs: number, nowMs: number): string {
  const ms = atMs - nowMs;
  if (Math.abs(ms) < 1_000) return "now";
  return ms > 0 ? `in ${durationText(wholeSeconds(ms))}` : `due ${durationText(wholeSeconds(-ms))} ago`;
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

/** Longer chains are cut in their middle, because the reader looks for the last cause. */
const HOPS_MAX = 5;

/** The chains of the waits of an invocation, from its own wait down to the last cause. */
export interface WaitChain {
  readonly hops: readonly WaitBody[];
  /** Hops were left out before the last one. */
  readonly isCut: boolean;
}

/** One chain for each last cause, in the order of the waits. */
export function waitChains(waits: readonly WaitBody[]): readonly WaitChain[] {
  return waits.flatMap((wait) => chainsFrom(wait, [])).map(cut);
}

function chainsFrom(wait: WaitBody, above: readonly WaitBody[]): readonly (readonly WaitBody[])[] {
  const hops = [...above, wait];
  const next = wait.waits_for ?? [];
  return next.length === 0 ? [hops] : next.flatMap((one) => chainsFrom(one, hops));
}

function cut(hops: readonly WaitBody[]): WaitChain {
  if (hops.length <= HOPS_MAX) return { hops, isCut: false };
  return { hops: [...hops.slice(0, HOPS_MAX - 1), hops.at(-1)!], isCut: true };
}
