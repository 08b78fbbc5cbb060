/** The parts of the attempts of an invocation: those in which the handler may compute, and those in which it only waits. */
import { momentOf } from "../time-text.ts";
import { messageName } from "./entry-kinds.ts";
import type { TimelineFacts } from "./operations.ts";
import { isSent, msOf, Receipts } from "./receipts.ts";
import type { Span } from "./scale.ts";

export interface ExchangePart extends Span {
  readonly isWaiting: boolean;
}

/** Waits of the handler on its open exchange. The others are waits for the handler, or for what is before it. */
const OWN_WAITS: ReadonlySet<string> = new Set(["call", "attach", "timer", "promise", "awakeable", "signal"]);

/**
 * A handler on an open exchange waits if no run is open and the next entry is one that it did not send, such as the result of a call or
 * the end of a sleep. It may compute at any other time.
 */
export function exchangeParts(facts: TimelineFacts, nowMs: number): readonly ExchangePart[] {
  const { entries, events, waits_for: waits = [], status } = facts;
  const { attempts } = new Receipts(facts);
  const failedAt = new Set(events.flatMap(({ at, last }) => [msOf(at), ...(last ? [msOf(last.at)] : [])]));
  const first = entries[0]?.index ?? 0;
  const openRuns = new Set<number>();
  const parts: ExchangePart[] = [];
  for (const [at, attempt] of attempts.entries()) {
    const until = attempts[at + 1]?.entry ?? Infinity;
    const isLast = at === attempts.length - 1;
    const runsOn = isLast && status === "running" && !waits.some(({ kind }) => kind === "attempt");
    let fromMs = attempt.startMs;
    const add = (toMs: number, isWaiting: boolean): void => {
      if (toMs <= fromMs) return;
      parts.push({ startMs: fromMs, endMs: toMs, isWaiting });
      fromMs = toMs;
    };
    for (const entry of entries.slice(
      Math.max(0, attempt.entry - first),
      until === Infinity ? undefined : until - first,
    )) {
      const sent = isSent(entry);
      add(msOf(entry.at), !sent && openRuns.size === 0);
      if (messageName(entry) !== "Run") continue;
      if (entry.completes === undefined) openRuns.add(entry.index);
      else openRuns.delete(entry.completes);
    }
    const waitsOn = runsOn && waits.some(({ kind }) => OWN_WAITS.has(kind));
    const suspends = !failedAt.has(attempt.endMs) && (!isLast || status === "suspended");
    add(attempt.endMs, openRuns.size === 0 && (suspends || waitsOn));
    if (runsOn) add(nowMs, openRuns.size === 0 && waitsOn);
  }
  return parts;
}

/** The attempts that stored no entry, as far as their times are known: the failed ones and the running one. */
export function otherAttempts({ events, waits_for: waits = [] }: TimelineFacts, nowMs: number): readonly Span[] {
  const failed = events.flatMap(({ at, started_at: started, last }) => {
    const endMs = msOf(at);
    const first = { startMs: momentOf(started) ?? endMs, endMs };
    return last === undefined ? [first] : [first, { startMs: msOf(last.started_at), endMs: msOf(last.at) }];
  });
  const running = waits.flatMap(({ kind, since }) =>
    kind === "attempt" ? [{ startMs: msOf(since), endMs: nowMs }] : [],
  );
  return [...failed, ...running];
}
