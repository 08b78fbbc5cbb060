/** The tables of the history of invocations: journals, and the failure events beside them. */
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import { EVERYTHING, type Narrowing } from "../../core/query/narrowing.ts";
import { JOURNAL, JOURNAL_EVENTS } from "../../core/query/table-shapes.ts";
import type { CommandEntry, Entry } from "../../core/invocation/entry.ts";
import type { Journal } from "../../core/invocation/journal.ts";
import { framesOf } from "../../core/protocol/frame.ts";
import { hasJournal, type Invocation } from "../../core/invocation/invocation.ts";
import type { CellValue } from "../../core/query/table-shape.ts";
import { type RegisteredTypes, entryJson, entryLite } from "./entry-json.ts";
import { readFailures, runsOf } from "../drive/failure-events.ts";
import { partitionKey } from "./invocation-cells.ts";
import { factsOf, entryType } from "../operate/entry-view.ts";
import { momentsOf } from "../operate/inspect.ts";
import { hasExpired, type Loaded } from "../store/load.ts";
import { loadWithMoments } from "../store/recorder.ts";
import { SqlError, type SqlRow, type SqlTable } from "../ports/sql.ts";
import { summaries } from "./query-invocations.ts";
import { type Cells, type Reading, rowOf } from "./reading.ts";

export function journalTable(reading: Reading): SqlTable {
  return {
    shape: JOURNAL,
    ordered: false,
    async *scan({ narrowing }) {
      for await (const loaded of histories(reading, narrowing)) yield* journalRows(reading, loaded);
    },
  };
}

export function journalEventsTable(reading: Reading): SqlTable {
  return {
    shape: JOURNAL_EVENTS,
    ordered: false,
    async *scan({ narrowing }) {
      for await (const loaded of histories(reading, narrowing)) yield* await eventRows(reading, loaded);
    },
  };
}

/** Loads the invocations that a statement names by id; if it names none, all invocations, within the budget. */
async function* histories(reading: Reading, narrowing: Narrowing): AsyncGenerator<Loaded> {
  const id = narrowing.get("id");
  const { engine, budget } = reading;
  const named = id?.in === undefined ? EVERYTHING : new Map([["id", id]]);
  for await (const { id: one, loaded } of summaries(reading, named, "stored", "newest-first")) {
    const known = loaded?.leavesResults === true ? undefined : loaded;
    if (known === undefined) budget.loads(1);
    const found = known ?? (await loadWithMoments(engine, one));
    if (found === undefined || hasExpired(found, engine.clock.nowMs())) continue;
    budget.journal(found.invocation.journal.entries.reduce((sum, { frame }) => sum + frame.length, 0));
    yield found;
  }
}

function* journalRows(reading: Reading, loaded: Loaded): Generator<SqlRow> {
  const { invocation } = loaded;
  if (!hasJournal(invocation, reading.engine.clock.nowMs())) return;
  const { acceptance, journal } = invocation;
  const moments = momentsOf(loaded, invocation);
  const head = { id: acceptance.id, partition_key: partitionKey(acceptance.id), version: 2 };
  for (const [index, entry] of journal.entries.entries()) {
    const row = rowWithLarge(
      {
        ...head,
        index,
        entry_type: entryType(entry),
        ...(entry.kind === "command" && commandCells(entry, journal)),
        raw_length: payloadOf(entry).length,
        appended_at: moments[index],
      },
      {
        raw: () => payloadOf(entry),
        entry_json: () => jsonCell(entry, index, invocation, reading),
        entry_lite_json: () => JSON.stringify(entryLite(entry, journal, reading)),
      },
    );
    yield { ...row, release: () => reading.budget.journalDone(entry.frame.length) };
  }
}

function commandCells(entry: CommandEntry, journal: Journal): Cells {
  const { command, name } = entry;
  const { target, invocationId, wakeAtMs } = factsOf(entry, journal);
  return {
    name,
    invoked_id: "child" in command ? invocationId : undefined,
    invoked_target: "child" in command ? target : undefined,
    sleep_wakeup_at: wakeAtMs,
    promise_name: "name" in command ? command.name : undefined,
    completed: "completionId" in command ? journal.completed.has(command.completionId) : undefined,
  };
}

/** The message of the entry, without the header of its frame. */
function payloadOf({ frame }: Entry): Uint8Array {
  return framesOf(frame)[0]?.payload ?? frame;
}

/** A row whose large cells are made when a statement asks for them. */
function rowWithLarge(cells: Cells, large: Readonly<Record<string, () => CellValue>>): SqlRow {
  const isLarge = (column: string): boolean => Object.hasOwn(large, column);
  return {
    cell: (column) => (isLarge(column) ? large[column]!() : cells[column]),
    atHand: (column) => (isLarge(column) ? undefined : (cells[column] ?? null)),
  };
}

/** The largest entry that is written as JSON. Each of its bytes becomes some four characters, which blocks the thread. */
const JSON_FRAME_MAX_BYTES = 2 * 1024 * 1024;

/** @throws SqlError if the entry is too large to be written as JSON */
function jsonCell(entry: Entry, index: number, invocation: Invocation, types: RegisteredTypes): string {
  const { length } = entry.frame;
  if (length > JSON_FRAME_MAX_BYTES)
    throw new SqlError(
      "refused",
      `entry ${index} of ${invocation.acceptance.id} has ${length} bytes, and entry_json shows entries of at most ${JSON_FRAME_MAX_BYTES} bytes; ` +
        `leave the column out, or add WHERE raw_length <= ${JSON_FRAME_MAX_BYTES}`,
    );
  return JSON.stringify(entryJson(entry, invocation, types));
}

/** One row per stored failure, and one for the pause of a paused invocation, with the failure that led to it. */
async function eventRows({ engine }: Reading, loaded: Loaded): Promise<SqlRow[]> {
  const { invocation } = loaded;
  const { acceptance, journal, phase, lastFailure, modifiedAtMs } = invocation;
  if (!hasJournal(invocation, engine.clock.nowMs())) return [];
  const failures = runsOf(loaded, await readFailures(engine, loaded.pk, acceptance.nonce), invocation);
  const events: { atMs: number; event: { ty: string } }[] = failures.map((failure) => ({
    atMs: failure.atMs,
    event: { ty: "TransientError", ...failureJson(failure) },
  }));
  if (phase.status === "paused") {
    const atMs = Math.max(modifiedAtMs, lastFailure?.atMs ?? 0);
    const last = lastFailure && { last_failure: failureJson(lastFailure) };
    events.push({ atMs, event: { ty: "Paused", ...last } });
  }
  return events.map(({ atMs, event }) =>
    rowOf({
      id: acceptance.id,
      partition_key: partitionKey(acceptance.id),
      after_journal_entry_index: Math.max(0, journal.entries.length - 1),
      appended_at: atMs,
      event_type: event.ty,
      event_json: JSON.stringify(event),
    }),
  );
}

function failureJson({ code, message, stacktrace, errorCode, relatedCommand }: AttemptFailure) {
  const { index, name, type } = relatedCommand ?? {};
  return {
    error_code: code,
    error_message: message,
    error_stacktrace: stacktrace,
    restate_doc_error_code: errorCode,
    related_command_index: index,
    related_command_name: name,
    related_command_type: type,
  };
}
