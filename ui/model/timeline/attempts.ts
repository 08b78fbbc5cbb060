/** All attempts of an invocation from the stored items: when each began and ended, and how it failed. What is not stored stays unknown. */
import type { AttemptFailureBody, InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { momentOf } from "../time-text.ts";
import { msOf } from "./receipts.ts";

export type AttemptFacts = Pick<
  InvocationBody,
  "attempts" | "attempt_spans" | "events" | "waits_for" | "status" | "completed_at"
>;

export interface AttemptMark {
  /** Both numbers are equal for a single attempt; `first` is undefined if no stored item names it. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  /**
   * `failed`: it failed with `failure`. `stored`: it stored entries, and waits or goes on elsewhere. `ended`: it ended the invocation.
   * `running`: it is under way. `repeated`: attempts that failed as the one before, whose times are not stored. `unknown`: no
   * stored item has anything of these attempts.
   */
  readonly kind: "failed" | "stored" | "ended" | "running" | "repeated" | "unknown";
  /** Undefined if the moment is not stored. */
  readonly startMs: number | undefined;
  /** For `stored`, the last moment at which the attempt stored something: it may have gone on after it. */
  readonly endMs: number | undefined;
  readonly failure?: AttemptFailureBody;
  readonly deploymentId?: string;
}

/** In the order of their numbers. The marks stand for each attempt exactly once. */
export function attemptMarks(facts: AttemptFacts): readonly AttemptMark[] {
  const failed = facts.events.flatMap(ofEvent);
  const numbers = new Set(failed.map(({ first }) => first));
  const stored = facts.attempt_spans.filter(({ attempt }) => !numbers.has(attempt)).map((span) => ofSpan(span, facts));
  const running = runningMark(facts, [...failed, ...stored]);
  const known = [...failed, ...stored, ...running].toSorted(byPlace);
  return withGaps(known, facts.attempts);
}

function ofEvent(failure: AttemptFailureBody): AttemptMark[] {
  const { attempt, times = 1, last, started_at: started, at, deployment_id: deploymentId } = failure;
  const shared = { failure, ...(deploymentId !== undefined && { deploymentId }) };
  const first: AttemptMark = {
    ...shared,
    kind: "failed",
    first: attempt,
    last: attempt,
    startMs: momentOf(started),
    endMs: msOf(at),
  };
  if (last === undefined) return [first];
  const latest: AttemptMark = {
    ...shared,
    kind: "failed",
    first: last.attempt,
    last: last.attempt,
    startMs: momentOf(last.started_at),
    endMs: msOf(last.at),
  };
  if (times <= 2) return [first, latest];
  const between: AttemptMark = {
    ...shared,
    kind: "repeated",
    first: attempt === undefined ? undefined : attempt + 1,
    last: last.attempt - 1,
    startMs: undefined,
    endMs: undefined,
  };
  return [first, between, latest];
}

function ofSpan(span: AttemptFacts["attempt_spans"][number], facts: AttemptFacts): AttemptMark {
  const { attempt, started_at: started, ended_at: ended, deployment_id: deploymentId } = span;
  const isLast = attempt === facts.attempts;
  // The last span of an invocation that runs is that of the running attempt, unless an attempt without entries has begun since.
  const runs = isLast && facts.status === "running";
  const endsIt = isLast && facts.completed_at === ended;
  return {
    kind: runs ? "running" : endsIt ? "ended" : "stored",
    first: attempt,
    last: attempt,
    startMs: momentOf(started),
    endMs: runs ? undefined : momentOf(ended),
    ...(deploymentId !== undefined && { deploymentId }),
  };
}

function runningMark({ waits_for: waits = [], attempts }: AttemptFacts, known: readonly AttemptMark[]): AttemptMark[] {
  const wait = waits.find(({ kind }) => kind === "attempt");
  if (wait === undefined) return [];
  const number = wait.attempt ?? attempts;
  if (known.some(({ first, kind }) => first === number && kind === "running")) return [];
  const deploymentId = wait.deployment_id;
  return [
    {
      kind: "running",
      first: number,
      last: number,
      startMs: msOf(wait.since),
      endMs: undefined,
      ...(deploymentId !== undefined && { deploymentId }),
    },
  ];
}

/** By number; an attempt without a number by its moment. */
function byPlace(a: AttemptMark, b: AttemptMark): number {
  if (a.first !== undefined && b.first !== undefined) return a.first - b.first;
  return (a.endMs ?? a.startMs ?? 0) - (b.endMs ?? b.startMs ?? 0);
}

/** Fills the numbers that no mark has. If a mark has no number, the gaps are not known, and no gap is filled. */
function withGaps(known: readonly AttemptMark[], attempts: number): readonly AttemptMark[] {
  if (known.some(({ first }) => first === undefined)) return known;
  const marks: AttemptMark[] = [];
  let next = 1;
  const fill = (until: number): void => {
    if (next >= until) return;
    marks.push({ kind: "unknown", first: next, last: until - 1, startMs: undefined, endMs: undefined });
  };
  for (const mark of known) {
    fill(mark.first!);
    marks.push(mark);
    next = Math.max(next, mark.last! + 1);
  }
  fill(attempts + 1);
  return marks;
}

/** How many attempts the mark stands for; undefined if that is unknown. */
export function countOf({ first, last, kind }: AttemptMark): number | undefined {
  if (kind !== "repeated" && kind !== "unknown") return 1;
  return first === undefined || last === undefined ? undefined : last - first + 1;
}

/** `7`, `3 to 6`, or `?`. */
export function numberText({ first, last }: AttemptMark): string {
  if (first === undefined && last === undefined) return "?";
  return first === last ? String(first) : `${first ?? "?"} to ${last ?? "?"}`;
}

const WORDS: Readonly<Record<AttemptMark["kind"], string>> = {
  failed: "failed",
  stored: "stored entries; how it ended is not stored",
  ended: "ended the invocation",
  running: "runs",
  repeated: "failed in the same way; the times are not stored",
  unknown: "nothing is stored of it",
};

export function outcomeText({ kind, failure }: AttemptMark): string {
  if (kind !== "failed" || failure === undefined) return WORDS[kind];
  return `failed: ${failure.error_code} ${failure.message.split("\n", 1)[0]!.slice(0, 200)}`;
}
