/** Runs statements in the evaluator: requests rows from the parent process, and sends the answer in pieces. */
import { SqlError, type SqlAnswer, type SqlTable } from "../../engine/ports/sql.ts";
import type { AnswerForm, Failure, FromEvaluator, ToEvaluator } from "./messages.ts";
import { RemoteTables, TableFailure } from "./remote-table.ts";

export interface Evaluation {
  readonly evaluate: (statement: string, tables: readonly SqlTable[], nowMs: number) => Promise<SqlAnswer>;
  readonly write: Readonly<Record<AnswerForm, (answer: SqlAnswer) => Iterable<Uint8Array>>>;
  /** The limit of the answer in its written form. */
  readonly answerMaxBytes: number;
}

/** The channel to the parent process. */
export interface Channel {
  /** Resolves when the operating system has taken the message. A sender that waits for this buffers few messages. */
  send(message: FromEvaluator): Promise<void>;
  onMessage(receive: (message: ToEvaluator) => void): void;
}

const PIECE_BYTES = 256 * 1024;

export function serveStatements(channel: Channel, evaluation: Evaluation): void {
  const tables = new RemoteTables((message) => void channel.send(message));
  channel.onMessage((message) => {
    if (message.kind === "run") void answer(channel, evaluation, tables, message);
    else tables.receive(message);
  });
  void channel.send({ kind: "ready" });
}

async function answer(
  channel: Channel,
  { evaluate, write, answerMaxBytes }: Evaluation,
  remote: RemoteTables,
  { statement, nowMs, form, tables }: Extract<ToEvaluator, { kind: "run" }>,
): Promise<void> {
  try {
    const rows = await evaluate(
      statement,
      tables.map((table) => remote.table(table)),
      nowMs,
    );
    let given = 0;
    for (const written of write[form](rows)) {
      given += written.length;
      if (given > answerMaxBytes)
        throw new SqlError(
          "refused",
          `the answer has more than ${answerMaxBytes} bytes; ask for fewer columns, or add a LIMIT`,
        );
      for (let at = 0; at < written.length; at += PIECE_BYTES)
        await channel.send({ kind: "piece", bytes: written.subarray(at, at + PIECE_BYTES) });
    }
    await channel.send({ kind: "answered" });
  } catch (error) {
    await channel.send({ kind: "failed", failure: failureOf(error) });
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof SqlError) return { of: "statement", kind: error.kind, message: error.message };
  if (error instanceof TableFailure) return { of: "table", kept: error.kept };
  return { of: "evaluator", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
