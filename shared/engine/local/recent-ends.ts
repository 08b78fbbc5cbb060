/** Counts in memory, by minute and by outcome, the invocations that this process has ended in the last hour. */
import { END_OUTCOMES, type EndOutcome } from "../../core/invocation/end-outcome.ts";
import type { Activity, EndedInvocation } from "../ports/activity.ts";
import type { Clock } from "../ports/clock.ts";

export type EndCounts = Readonly<Record<EndOutcome, number>>;

export interface EndsView {
  /** When the counting began: no earlier than an hour ago. */
  readonly sinceMs: number;
  /** Sixty minutes, oldest first; the last one is the present minute. */
  readonly minutes: readonly (EndCounts & { readonly atMs: number })[];
  /** How many ended with a failure in these minutes, by service. */
  readonly failed: ReadonlyMap<string, number>;
}

const MINUTE_MS = 60_000;
const MINUTES = 60;
interface Minute {
  readonly minute: number;
  readonly counts: Record<EndOutcome, number>;
  /** By service. Only services that were registered have invocations, so the registry bounds their number. */
  readonly failed: Map<string, number>;
}

/** The counts are complete if one process ends all invocations. */
export class RecentEnds implements Activity {
  readonly #clock: Clock;
  readonly #beganAtMs: number;
  readonly #next: Activity | undefined;
  /** By the number of the minute modulo sixty. */
  readonly #minutes: Minute[] = [];

  /** @param next another activity port, which also gets each end */
  constructor(clock: Clock, next?: Activity) {
    this.#clock = clock;
    this.#beganAtMs = clock.nowMs();
    this.#next = next;
  }

  ended(end: EndedInvocation): void {
    const minute = this.#minute();
    const place = minute % MINUTES;
    if (this.#minutes[place]?.minute !== minute) this.#minutes[place] = { minute, counts: none(), failed: new Map() };
    const { counts, failed } = this.#minutes[place];
    counts[end.outcome]++;
    const { service } = end.target;
    if (end.outcome === "failed") failed.set(service, (failed.get(service) ?? 0) + 1);
    this.#next?.ended(end);
  }

  view(): EndsView {
    const last = this.#minute();
    const minutes = Array.from({ length: MINUTES }, (_, at) => last - MINUTES + 1 + at);
    return {
      sinceMs: Math.max(this.#beganAtMs, minutes[0]! * MINUTE_MS),
      minutes: minutes.map((minute) => {
        const kept = this.#minutes[minute % MINUTES];
        return { atMs: minute * MINUTE_MS, ...(kept?.minute === minute ? kept.counts : none()) };
      }),
      failed: this.#failedSince(minutes[0]!),
    };
  }

  #failedSince(first: number): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const { minute, failed } of this.#minutes.filter((kept) => kept !== undefined)) {
      if (minute < first) continue;
      for (const [service, count] of failed) sums.set(service, (sums.get(service) ?? 0) + count);
    }
    return sums;
  }

  #minute(): number {
    return Math.floor(this.#clock.nowMs() / MINUTE_MS);
  }
}

function none(): Record<EndOutcome, number> {
  return Object.fromEntries(END_OUTCOMES.map((outcome) => [outcome, 0])) as Record<EndOutcome, number>;
}
