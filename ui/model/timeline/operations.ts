/** Makes the operations of a timeline from the journal, the attempts and the failures of an invocation. */
import type { AttemptFailureBody, EntryBody, InvocationBody, WaitBody } from "../../../shared/api/wire/invocation.ts";
import { momentOf } from "../time-text.ts";
import { AttemptClock, msOf } from "./attempt-clock.ts";
import { isCommand, kindOf, labelOf, messageName } from "./entry-kinds.ts";
import type { FailedTry, Operation, OperationKind, OperationOutcome } from "./operation.ts";

/** The members of an invocation from which its timeline follows. */
export type TimelineFacts = Pick<
  InvocationBody,
  "status" | "created_at" | "completed_at" | "entries" | "attempt_spans" | "events" | "last_failure" | "waits_for"
>;

/** Commands that last until a notification completes them. */
const LASTING: ReadonlySet<string> = new Set([
  "Run",
  "Call",
  "Sleep",
  "GetPromise",
  "PeekPromise",
  "CompletePromise",
  "AttachInvocation",
  "GetInvocationOutput",
  "GetLazyState",
  "GetLazyStateKeys",
]);
/** The notification with the id of a called invocation completes nothing. */
const ID_NOTIFICATION = "CallInvocationId";

const NO_TRIES: readonly FailedTry[] = [];

interface Completion {
  readonly entries: number[];
  at?: EntryBody;
  childId?: string;
}

/** A caller that must not block for long lets other work happen between two steps of this many entries. */
const ENTRIES_A_STEP = 500;

/**
 * Makes the operations in the order of the journal. Operations that the journal does not have yet come last. Each entry is in
 * exactly one operation.
 */
export function operationsOf(facts: TimelineFacts): readonly Operation[] {
  const steps = operationSteps(facts);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Makes the same operations as `operationsOf`, in steps that take a few milliseconds each. */
export function* operationSteps(facts: TimelineFacts): Generator<undefined, readonly Operation[]> {
  const { entries } = facts;
  const completions = new Map<number, Completion>();
  for (const [at, entry] of entries.entries()) {
    noteCompletion(completions, entry);
    if (at % ENTRIES_A_STEP === 0) yield undefined;
  }
  const clock = new AttemptClock(facts);
  const tries = triesOf(facts, clock);
  yield undefined;
  const operations: Operation[] = [];
  for (const [at, entry] of entries.entries()) {
    if (isCommand(entry)) operations.push(ofCommand(entry, facts, completions.get(entry.index), clock, tries));
    else if (!isPartOfCommand(entry)) operations.push(ofNotification(entry));
    if (at % ENTRIES_A_STEP === 0) yield undefined;
  }
  return [...operations, ...unstored(facts, tries)];
}

function isPartOfCommand({ completes }: EntryBody): boolean {
  return completes !== undefined;
}

function noteCompletion(found: Map<number, Completion>, entry: EntryBody): void {
  const { completes, invocation_id: id } = entry;
  if (completes === undefined || isCommand(entry)) return;
  const completion = found.get(completes) ?? { entries: [] };
  found.set(completes, completion);
  completion.entries.push(entry.index);
  if (messageName(entry) !== ID_NOTIFICATION) completion.at = entry;
  else if (id !== undefined) completion.childId = id;
}

function ofCommand(
  entry: EntryBody,
  facts: TimelineFacts,
  completion: Completion | undefined,
  clock: AttemptClock,
  allTries: Tries,
): Operation {
  const kind = kindOf(entry);
  const result = completion?.at;
  const storedMs = msOf(entry.at);
  const isLasting = LASTING.has(messageName(entry));
  const endMs = isLasting ? (result ? msOf(result.at) : momentOf(facts.completed_at)) : storedMs;
  // The code of a run is running before its command is stored; all other operations begin when they are stored.
  const startMs = kind === "run" ? clock.beginOf(entry.index, storedMs) : storedMs;
  const tries = allTries.get(entry.index) ?? NO_TRIES;
  const wakeAtMs = momentOf(entry.wake_at);
  const childId = entry.invocation_id ?? completion?.childId;
  const isChild = kind === "call" || kind === "send" || kind === "attach";
  return {
    key: String(entry.index),
    entries: [entry.index, ...(completion?.entries ?? [])],
    kind,
    label: labelOf(entry),
    startMs: Math.min(startMs, tries[0]?.startMs ?? startMs),
    outcome: outcomeOf(kind, facts.status, result, endMs, tries),
    tries,
    ...(endMs !== undefined && { endMs: Math.max(startMs, endMs) }),
    ...(wakeAtMs !== undefined && { wakeAtMs }),
    ...(result && tries.length > 0 && { resultFromMs: clock.beginOf(result.index, msOf(result.at)) }),
    ...(isChild && childId !== undefined && { childId }),
  };
}

function outcomeOf(
  kind: OperationKind,
  status: string,
  completion: EntryBody | undefined,
  endMs: number | undefined,
  tries: readonly FailedTry[],
): OperationOutcome {
  // The code may fail at an operation that an earlier attempt completed, for instance because it has changed since.
  const isAfter = endMs !== undefined && (tries.at(-1)?.endMs ?? 0) > endMs;
  if (isAfter && status !== "completed") return status === "running" ? "running" : "retrying";
  if (completion?.failed === true) return "failed";
  if (completion !== undefined) return "done";
  if (endMs === undefined) {
    if (tries.length > 0) return status === "running" ? "running" : "retrying";
    return kind === "run" && status === "running" ? "running" : "waiting";
  }
  if (status === "completed" && tries.length > 0) return "failed";
  return "done";
}

function ofNotification(entry: EntryBody): Operation {
  const atMs = msOf(entry.at);
  return {
    key: String(entry.index),
    entries: [entry.index],
    kind: kindOf(entry),
    label: labelOf(entry),
    startMs: atMs,
    endMs: atMs,
    outcome: entry.failed === true ? "failed" : "done",
    tries: [],
  };
}

const WAIT_KINDS: Readonly<Record<string, OperationKind>> = {
  awakeable: "awakeable",
  signal: "signal",
  attempt: "attempt",
  key: "other",
  schedule: "other",
};
const WAIT_LABELS: Readonly<Record<string, string>> = { key: "in the queue of the key", schedule: "scheduled" };

/** Waits that have no command in the journal, the running attempt, and failures behind the journal's end. */
function unstored({ waits_for: waits = [], status, completed_at: ended }: TimelineFacts, tries: Tries): Operation[] {
  const waiting = waits.flatMap((wait, at) => ofWait(wait, at));
  const beyond = tries.get(BEYOND) ?? [];
  if (beyond.length === 0) return waiting;
  const retry = waits.find(({ kind }) => kind === "retry");
  const endMs = momentOf(ended);
  const wakeAtMs = momentOf(retry?.until);
  const last = beyond.at(-1)!.failure.related_command;
  const failing: Operation = {
    key: "beyond",
    entries: [],
    kind: "attempt",
    label: last?.name ?? last?.type ?? "the handler's code",
    startMs: beyond[0]!.startMs,
    outcome: endMs !== undefined ? "failed" : status === "running" ? "running" : "retrying",
    tries: beyond,
    ...(endMs !== undefined && { endMs }),
    ...(wakeAtMs !== undefined && { wakeAtMs }),
  };
  return [failing, ...waiting.filter(({ kind }) => kind !== "attempt")];
}

function ofWait(wait: WaitBody, at: number): Operation[] {
  const kind = WAIT_KINDS[wait.kind];
  if (kind === undefined) return [];
  const wakeAtMs = momentOf(wait.until);
  return [
    {
      key: `wait-${wait.kind}-${at}`,
      entries: [],
      kind,
      label:
        WAIT_LABELS[wait.kind] ??
        (wait.kind === "attempt" ? `attempt ${wait.attempt ?? 1}` : (wait.name ?? "awakeable")),
      startMs: msOf(wait.since),
      outcome: kind === "attempt" ? "running" : "waiting",
      tries: [],
      ...(wakeAtMs !== undefined && { wakeAtMs }),
    },
  ];
}

type Tries = ReadonlyMap<number, readonly FailedTry[]>;
/** The place of failures that belong to no stored command. */
const BEYOND = -1;

/** The failed attempts at each command, by the index of its entry. */
function triesOf({ events, last_failure: last, entries }: TimelineFacts, clock: AttemptClock): Tries {
  const commands = entries.flatMap((entry) => (isCommand(entry) ? [entry.index] : []));
  const isNew = last !== undefined && !events.some(({ at }) => at === last.at);
  const byEntry = new Map<number, FailedTry[]>();
  for (const failure of isNew ? [...events, last] : events) {
    const place = commands[failure.related_command?.index ?? -1] ?? BEYOND;
    byEntry.set(place, [...(byEntry.get(place) ?? []), tryOf(failure, clock)]);
  }
  return byEntry;
}

function tryOf(failure: AttemptFailureBody, clock: AttemptClock): FailedTry {
  const endMs = msOf(failure.at);
  return { startMs: Math.min(endMs, momentOf(failure.started_at) ?? clock.attemptAt(endMs) ?? endMs), endMs, failure };
}
