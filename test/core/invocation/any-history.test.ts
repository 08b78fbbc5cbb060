import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advance } from "../../../shared/core/invocation/advance.ts";
import type { Entry } from "../../../shared/core/invocation/entry.ts";
import type { Arrival, AttemptOutcome, Event } from "../../../shared/core/invocation/event.ts";
import { accepted, fold, type Invocation } from "../../../shared/core/invocation/invocation.ts";
import { newsFor } from "../../../shared/core/invocation/poll.ts";
import type { Segment, Consumption } from "../../../shared/core/invocation/segment.ts";
import type { Transition } from "../../../shared/core/invocation/transition.ts";
import {
  ACCEPTANCE,
  arrival,
  attemptEnded,
  attemptGrew,
  awaiting,
  completion,
  CREATED_MS,
  failing,
  INPUT,
  KILL_ARRIVED,
  ONE_THEN_KILL,
  ONE_THEN_PAUSE,
  output,
  run,
  signal,
  sleep,
  taken,
  UNLIMITED,
} from "./sample-invocation.ts";

/** One step of a history. Its numbers choose among the arrivals, entries and endings that are possible at that moment. */
type Happening =
  | { readonly kind: "arrive"; readonly id: number; readonly cancel: boolean }
  | { readonly kind: "poll"; readonly afterMs: number; readonly kill: boolean }
  /** The attempt adds a segment and goes on. Its open exchange then carries the fresh arrivals and the sleeps that are over. */
  | { readonly kind: "grow"; readonly entries: readonly number[]; readonly afterMs: number }
  | { readonly kind: "end"; readonly ending: number; readonly entries: readonly number[]; readonly policy: number }
  | { readonly kind: "kill" };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 30, arbitrary: fc.record({ kind: fc.constant("arrive" as const), id: fc.nat(9), cancel: fc.boolean() }) },
  {
    weight: 50,
    arbitrary: fc.record({
      kind: fc.constant("poll" as const),
      afterMs: fc.nat(20_000),
      kill: fc.nat(60).map((n) => n === 0),
    }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      kind: fc.constant("grow" as const),
      entries: fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }),
      afterMs: fc.nat(6_000),
    }),
  },
  {
    weight: 50,
    arbitrary: fc.record({
      kind: fc.constant("end" as const),
      ending: fc.nat(20),
      entries: fc.array(fc.nat(2), { maxLength: 3 }),
      policy: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "kill" as const }) },
);

/**
 * Plays a history as a driver does: an attempt gets the arrivals of the last poll, an open exchange also those that come later,
 * and no poll offers a consumed arrival.
 */
class History {
  invocation: Invocation;
  readonly segments: Segment[] = [];
  readonly #arrivals = new Map<string, Arrival>();
  /** The arrivals sent to the last attempt. A driver that lost its lease may still report the end of that attempt. */
  #sent: readonly Consumption[] = [];
  #isOpen = false;
  #nowMs = CREATED_MS;
  #nextId = 1;
  #cancels = 0;

  constructor(startAtMs: number | undefined) {
    this.invocation = accepted({ ...ACCEPTANCE, ...(startAtMs !== undefined && { startAtMs }) }, INPUT);
  }

  play(one: Happening): Transition | undefined {
    const event = this.#eventOf(one);
    if (event === undefined) return undefined;
    const transition = advance(this.invocation, event);
    this.invocation = transition.next;
    const { segment, step } = transition;
    if (segment !== undefined) this.segments.push(segment);
    this.#isOpen = step.kind === "attempt" || step.kind === "read-on";
    if (step.kind === "read-on") {
      this.#sent = [];
      this.#carry();
    }
    if (step.kind === "attempt")
      this.#sent = [...step.take, ...step.dueSleeps.map((id) => taken(`c${id}`, completion(id)))];
    return transition;
  }

  /** Sends the fresh arrivals and the sleeps that are over on the open exchange. */
  #carry(): void {
    const news = newsFor(
      this.invocation,
      { atMs: this.#nowMs, arrivals: this.#fresh() },
      new Set(this.#sent.map(({ key }) => key)),
    );
    this.#sent = [...this.#sent, ...news.take, ...news.dueSleeps.map((id) => taken(`c${id}`, completion(id)))];
  }

  #fresh(): Arrival[] {
    return [...this.#arrivals].filter(([key]) => !this.invocation.consumed.has(key)).map(([, value]) => value);
  }

  #eventOf(one: Happening): Event | undefined {
    switch (one.kind) {
      case "arrive": {
        const key = one.cancel ? `x${this.#cancels++}` : `c${one.id}`;
        if (!this.#arrivals.has(key))
          this.#arrivals.set(key, arrival(key, one.cancel ? signal(1) : completion(one.id), this.#nowMs));
        return undefined;
      }
      case "poll": {
        this.#nowMs += one.afterMs;
        const fresh = this.#fresh();
        return { kind: "poll", atMs: this.#nowMs, arrivals: one.kill ? [...fresh, KILL_ARRIVED] : fresh };
      }
      case "grow": {
        if (!this.#isOpen) return undefined;
        this.#nowMs += one.afterMs;
        this.#carry();
        const attempt = {
          number: this.invocation.attempts,
          startedAtMs: this.#nowMs,
          endedAtMs: this.#nowMs,
        };
        const entries = one.entries.flatMap((choice) => this.#entriesOf(choice));
        return attemptGrew({ atMs: this.#nowMs, attempt, sent: this.#sent, entries });
      }
      case "end": {
        // While the invocation is running and no attempt is open, the driver has already reported the end of its attempt.
        if (!this.#isOpen && this.invocation.phase.status === "running") return undefined;
        const ending = endingOf(one.ending);
        const entries = one.entries.flatMap((choice) => this.#entriesOf(choice));
        if (ending.kind === "ended") entries.push(output());
        const policy = [UNLIMITED, ONE_THEN_PAUSE, ONE_THEN_KILL][one.policy]!;
        const number = this.invocation.attempts;
        const attempt = { number, startedAtMs: this.#nowMs, endedAtMs: this.#nowMs };
        return attemptEnded(ending, { atMs: this.#nowMs, attempt, sent: this.#sent, entries, policy });
      }
      case "kill":
        return { kind: "kill", atMs: this.#nowMs };
    }
  }

  #entriesOf(choice: number): Entry[] {
    const id = this.#nextId++;
    if (choice === 0) return [run(id)];
    return choice === 1 ? [run(id), completion(id)] : [sleep(id, this.#nowMs + 5_000)];
  }
}

function endingOf(choice: number): AttemptOutcome {
  if (choice === 0) return { kind: "ended" };
  if (choice < 8) return { kind: "suspended", awaiting: awaiting(choice) };
  if (choice < 10) return { kind: "cut" };
  if (choice === 10) return failing({ behavior: "fail" });
  if (choice === 11) return failing({ behavior: "pause" });
  return choice < 14 ? failing({ nextRetryDelayMs: 5 }) : failing();
}

const start = fc.option(fc.integer({ min: CREATED_MS, max: CREATED_MS + 9_000 }), { nil: undefined });
const histories = fc.array(happening, { minLength: 1, maxLength: 60 });

function forAll(check: (history: History, before: Invocation, transition: Transition) => void): void {
  fc.assert(
    fc.property(start, histories, (startAtMs, happenings) => {
      const history = new History(startAtMs);
      for (const one of happenings) {
        const before = history.invocation;
        const transition = history.play(one);
        if (transition !== undefined) check(history, before, transition);
      }
    }),
    { numRuns: 400 },
  );
}

describe("in any history", () => {
  test("segments have no gaps, and after the step `end` the invocation is completed", () => {
    forAll((_, before, { segment, step, next }) => {
      if (segment !== undefined) expect(segment.index).toBe(before.segmentIndex + 1);
      expect(next.segmentIndex).toBe(segment?.index ?? before.segmentIndex);
      if (step.kind === "end") expect(next.phase.status).toBe("completed");
    });
  });

  test("no arrival is taken twice", () => {
    forAll((_, before, { segment }) => {
      const keys = segment?.consumed.map(({ key }) => key) ?? [];
      expect(new Set(keys).size).toBe(keys.length);
      for (const key of keys) expect(before.consumed.has(key)).toBe(false);
    });
  });

  test("no sleep is completed twice, by the clock or by an arrival", () => {
    forAll(({ invocation }) => {
      const ids = invocation.journal.entries.flatMap((entry) =>
        entry.kind === "notification" && "completionId" in entry.id ? [entry.id.completionId] : [],
      );
      const sleeps = ids.filter((id) => invocation.journal.completable.get(id)?.entry.command.kind === "sleep");
      expect(new Set(sleeps).size).toBe(sleeps.length);
    });
  });

  test("a completed invocation never changes", () => {
    forAll((_, before, { next, segment, failure }) => {
      if (before.phase.status !== "completed") return;
      expect(next).toBe(before);
      expect(segment).toBeUndefined();
      expect(failure).toBeUndefined();
    });
  });

  test("a segment of an attempt that goes on leaves the invocation running, under the same attempt", () => {
    forAll((_, before, { next, segment, step }) => {
      if (step.kind !== "read-on") return;
      expect(next.phase).toEqual({ status: "running" });
      expect(next.attempts).toBe(before.attempts);
      expect(segment?.after).toEqual({ kind: "running" });
    });
  });

  test("the end of an attempt counts only while the invocation runs", () => {
    forAll((_, before, { segment }) => {
      if (before.phase.status !== "running") expect(segment?.attempt).toBeUndefined();
    });
  });

  test("folding all segments into the acceptance gives the driver's invocation", () => {
    forAll(({ invocation, segments }, _, { segment, step }) => {
      if (segment === undefined) return;
      const folded = segments.reduce(fold, accepted(invocation.acceptance, INPUT));
      expect(folded.journal).toEqual(invocation.journal);
      expect(folded.consumed).toEqual(invocation.consumed);
      expect(folded.retries).toEqual(invocation.retries);
      expect(folded.pin).toEqual(invocation.pin);
      expect(folded.segmentIndex).toBe(invocation.segmentIndex);
      // Only the lease record contains the parked status; without it the status is running.
      if (step.kind === "park") expect(folded.phase.status).toBe("running");
      else expect(folded.phase).toEqual(invocation.phase);
    });
  });
});
