/** Runs statements in the evaluator: requests rows from the parent process, and sends the answer piece by piece. */
import { SqlError, type SqlCells, type SqlRows, type SqlTable, type SqlColumn } from "../../engine/ports/sql.ts";
import { gathered } from "./gathered.ts";
import type { AnswerForm, Failure, FromEvaluator, ToEvaluator } from "./messages.ts";
import { RemoteTables, TableFailure } from "./remote-table.ts";

/** Writes rows in one format. @returns the next piece of the answer */
export type AnswerWriter = (rows: readonly SqlCells[], isLast: boolean) => Uint8Array;

export interface Evaluation {
  readonly evaluate: (
    statement: string,
    tables: readonly SqlTable[],
    asked: { readonly nowMs: number; readonly isWhole: boolean },
  ) => SqlRows;
  readonly write: Readonly<Record<AnswerForm, (columns: readonly SqlColumn[]) => AnswerWriter>>;
}

/** The channel to the parent process. */
export interface Channel {
  /** Resolves when the operating system has taken the message. A sender that awaits the promise keeps few messages in memory. */
  send(message: FromEvaluator): Promise<void>;
  onMessage(receive: (message: ToEvaluator) => void): void;
}

const PIECE_BYTES = 256 * 1024;
/** The evaluator pauses while this many of the pieces that it sent wait for the parent to take them. */
const UNTAKEN_MAX = 2;
/** A piece ends at the first of these limits. The wait is short, so the client of a slow statement soon gets small pieces. */
const GATHERED = { sizeMaxBytes: PIECE_BYTES, rowsMax: 8192, waitMaxMs: 100 };

type Run = Extract<ToEvaluator, { kind: "run" }>;

export function serveStatements(channel: Channel, evaluation: Evaluation): void {
  const tables = new RemoteTables((message) => void channel.send(message));
  let room = new Room();
  channel.onMessage((message) => {
    if (message.kind === "run") void answer(channel, evaluation, tables, message, (room = new Room()));
    else if (message.kind === "taken") room.give();
    else tables.receive(message);
  });
  void channel.send({ kind: "ready" });
}

async function answer(
  channel: Channel,
  { evaluate, write }: Evaluation,
  remote: RemoteTables,
  { statement, form, tables, nowMs, wholeMaxBytes }: Run,
  room: Room,
): Promise<void> {
  try {
    const remotes = tables.map((table) => remote.table(table));
    const rows = evaluate(statement, remotes, { nowMs, isWhole: wholeMaxBytes !== undefined });
    const written = write[form](rows.columns);
    let given = 0;
    for await (const group of gathered(rows.groups, GATHERED)) {
      const bytes = written(group.rows, group.isLast);
      given += bytes.length;
      if (given > (wholeMaxBytes ?? Infinity)) throw tooLarge(wholeMaxBytes!);
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        await room.take();
        const isLast = group.isLast && at + PIECE_BYTES >= bytes.length;
        await channel.send({ kind: "piece", bytes: bytes.subarray(at, at + PIECE_BYTES), isLast });
      }
    }
  } catch (error) {
    await channel.send({ kind: "failed", failure: failureOf(error) });
  }
}

/** The room for pieces that the parent has not taken. */
class Room {
  #left = UNTAKEN_MAX;
  #waiting: (() => void) | undefined;

  async take(): Promise<void> {
    if (this.#left === 0) await new Promise<void>((resolve) => (this.#waiting = resolve));
    this.#left -= 1;
  }

  give(): void {
    this.#left += 1;
    this.#waiting?.();
    this.#waiting = undefined;
  }
}

function tooLarge(maxBytes: number): SqlError {
  return new SqlError(
    "refused",
    `the answer has more than ${maxBytes} bytes, and here it can be sent only as a whole; ask for fewer columns, or add a LIMIT`,
  );
}

function failureOf(error: unknown): Failure {
  if (error instanceof SqlError) return { of: "statement", kind: error.kind, message: error.message };
  if (error instanceof TableFailure) return { of: "table", kept: error.kept };
  return { of: "evaluator", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
