/** Makes the operations of a timeline from the journal, the attempts and the failures of an invocation. */
import type {
  AttemptFailureBody,
  EntryBody,
  InvocationBody,
  WaitBody,
} from "../../../shared/api/contract/invocations.ts";
import { wordsOf } from "../../../shared/core/protocol/command-words.ts";
import { momentOf } from "../time-text.ts";
import { isCommand, kindOf, labelOf, messageName } from "./entry-kinds.ts";
import type { FailedTry, Operation, OperationKind, OperationOutcome } from "./operation.ts";
import { msOf, Receipts, TOGETHER_MS } from "./receipts.ts";
import type { Span } from "./scale.ts";

/** The members of an invocation from which its timeline follows. */
export type TimelineFacts = Pick<
  InvocationBody,
  "status" | "created_at" | "completed_at" | "entries" | "attempt_spans" | "events" | "waits_for"
>;

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
  const receipts = new Receipts(facts);
  const tries = triesOf(facts, receipts);
  yield undefined;
  const operations: Operation[] = [];
  for (const [at, entry] of entries.entries()) {
    if (isCommand(entry)) operations.push(ofCommand(entry, facts, completions.get(entry.index), receipts, tries));
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
  receipts: Receipts,
  allTries: Tries,
): Operation {
  const kind = kindOf(entry);
  const result = completion?.at;
  const tries = allTries.get(entry.index) ?? NO_TRIES;
  const wakeAtMs = momentOf(entry.wake_at);
  const childId = entry.invocation_id ?? completion?.childId;
  const isChild = kind === "call" || kind === "send" || kind === "attach";
  const isLasting = wordsOf(messageName(entry))?.lasts === true;
  const endMs = isLasting && result === undefined ? momentOf(facts.completed_at) : undefined;
  const times: Times =
    !isLasting || (isLasting && result === undefined)
      ? unended(entry, kind, isLasting ? endMs : "at once", receipts)
      : kind === "run"
        ? ofRun(entry, result!, tries, receipts)
        : { startMs: msOf(entry.at), endMs: msOf(result!.at), ...boundOfWait(entry, result!, receipts) };
  const clocksDiffer = times.endMs !== undefined && times.endMs < times.startMs;
  const startMs = Math.min(times.startMs, tries[0]?.startMs ?? times.startMs);
  return {
    key: String(entry.index),
    entries: [entry.index, ...(completion?.entries ?? [])],
    kind,
    label: labelOf(entry),
    ...(clocksDiffer ? ({ clocksDiffer } as const) : times),
    startMs,
    ...(times.endMs !== undefined && { endMs: Math.max(startMs, times.endMs) }),
    outcome: outcomeOf(kind, facts.status, result, times.endMs, tries),
    tries,
    ...(wakeAtMs !== undefined && { wakeAtMs }),
    ...(isChild && childId !== undefined && { childId }),
  };
}

type Times = Pick<Operation, "startMs" | "endMs" | "within" | "resultFromMs">;

/** The times of a command without a result: a moment, or a span up to now or up to the end of the invocation. */
function unended(
  entry: EntryBody,
  kind: OperationKind,
  end: number | undefined | "at once",
  receipts: Receipts,
): Times {
  const atMs = msOf(entry.at);
  if (end !== "at once") return { startMs: atMs, ...(end !== undefined && { endMs: Math.max(atMs, end) }) };
  // The server begins a send when it receives the command; everything else happened in the handler, perhaps before.
  const placeMs = kind === "send" ? atMs : receipts.placeOf(entry);
  const within = { startMs: receipts.earliestOf(entry.index), endMs: atMs };
  const isUnknown = kind !== "send" && receipts.isSpread(entry.index) && within.endMs - within.startMs > TOGETHER_MS;
  return { startMs: placeMs, endMs: placeMs, ...(isUnknown && { within }) };
}

/** The server begins calls and waits when it receives their commands. Moments of storing are later, so they are bounds of a wait. */
function boundOfWait(entry: EntryBody, result: EntryBody, receipts: Receipts): Pick<Times, "within"> {
  if (entry.at_or_before !== true && result.at_or_before !== true) return {};
  const atMs = msOf(entry.at);
  const startMs = entry.at_or_before === true ? Math.min(atMs, receipts.earliestOf(entry.index)) : atMs;
  return { within: { startMs, endMs: msOf(result.at) } };
}

/**
 * The code of a run begins when its command comes, because a handler sends the command before it runs the code. If both came
 * together, the answer was kept back: all that is known is that the run is behind the entries before it.
 */
function ofRun(entry: EntryBody, result: EntryBody, tries: readonly FailedTry[], receipts: Receipts): Times {
  const [startMs, endMs] = [msOf(entry.at), msOf(result.at)];
  const repeated = receipts.attemptOf(result.index);
  const first = receipts.attemptOf(entry.index);
  if (tries.length > 0 || (repeated !== undefined && first !== undefined && repeated.startMs > first.startMs)) {
    const fromMs = repeated?.startMs ?? startMs;
    const lastMs = receipts.lastWithin({ startMs: fromMs, endMs: endMs - 1 }, result.index - 1);
    return { startMs, endMs, resultFromMs: Math.max(fromMs, lastMs ?? fromMs) };
  }
  const isKnown = endMs - startMs > TOGETHER_MS && entry.at_or_before !== true && result.at_or_before !== true;
  if (isKnown) return { startMs, endMs };
  const within = { startMs: Math.min(startMs, receipts.earliestOf(entry.index)), endMs };
  const isOnePiece = startMs === endMs;
  const drawnMs = isOnePiece ? receipts.placeOf(entry) : within.startMs;
  return { startMs: drawnMs, endMs: isOnePiece ? receipts.placeOf(result) : endMs, within };
}

function outcomeOf(
  kind: OperationKind,
  status: string,
  completion: EntryBody | undefined,
  endMs: number | undefined,
  tries: readonly FailedTry[],
): OperationOutcome {
  // The code may fail at an operation that an earlier attempt completed, for instance because it has changed since.
  const isAfter = endMs !== undefined && (tries.at(-1)?.last?.endMs ?? tries.at(-1)?.endMs ?? 0) > endMs;
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

const WAIT_KINDS: Readonly<Partial<Record<WaitBody["kind"], OperationKind>>> = {
  awakeable: "awakeable",
  signal: "signal",
  attempt: "attempt",
  key: "other",
  schedule: "other",
};
const WAIT_LABELS: Readonly<Partial<Record<WaitBody["kind"], string>>> = {
  key: "in the queue of the key",
  schedule: "scheduled",
};

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
function triesOf({ events, entries }: TimelineFacts, receipts: Receipts): Tries {
  const commands = entries.filter(isCommand);
  const byEntry = new Map<number, FailedTry[]>();
  for (const failure of events) {
    const command = commands[failure.related_command?.index ?? -1];
    const place = command?.index ?? BEYOND;
    byEntry.set(place, [...(byEntry.get(place) ?? []), tryOf(failure, command, receipts)]);
  }
  return byEntry;
}

function tryOf(failure: AttemptFailureBody, command: EntryBody | undefined, receipts: Receipts): FailedTry {
  const endMs = msOf(failure.at);
  const begunMs = momentOf(failure.started_at) ?? receipts.attemptAt(endMs);
  const { last, times = 1 } = failure;
  const more = last && { last: { startMs: msOf(last.started_at), endMs: msOf(last.at) } };
  return { ...beginOfTry(begunMs ?? endMs, endMs, command, receipts), endMs, failure, times, ...more };
}

/**
 * In the attempt that sent the command, the code began with it. A later attempt replays the entries first; it began the code after
 * its own beginning, and after the last entry that it added itself.
 */
function beginOfTry(
  begunMs: number,
  endMs: number,
  command: EntryBody | undefined,
  receipts: Receipts,
): Pick<FailedTry, "startMs" | "isBound"> {
  const attempt: Span = { startMs: Math.min(begunMs, endMs), endMs };
  const sentMs = command === undefined ? -Infinity : msOf(command.at);
  const isFirst = sentMs > attempt.startMs && sentMs <= endMs && command!.at_or_before !== true;
  if (isFirst && endMs - sentMs > TOGETHER_MS) return { startMs: sentMs };
  const upTo = command === undefined ? Infinity : command.index - 1;
  return { startMs: receipts.lastWithin(attempt, upTo) ?? attempt.startMs, isBound: true };
}
