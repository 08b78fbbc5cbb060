/** The program of the evaluator processes, bundled into one text that `statement-front.ts` contains. */
import { arrowStream } from "../adapters/arrow/arrow-stream.ts";
import { SQL_LIMITS, SquirrelingSql } from "../adapters/squirreling/squirreling-sql.ts";
import { channelToParent } from "../adapters/statements/channel-to-parent.ts";
import { serveStatements } from "../adapters/statements/serve-statements.ts";
import { columnedJson, rowsJson } from "../api/admin/query-rows.ts";

serveStatements(channelToParent(), {
  evaluate: (statement, tables, nowMs) => new SquirrelingSql(() => nowMs).run(statement, tables),
  write: { json: rowsJson, "columned-json": columnedJson, arrow: (answer) => [arrowStream(answer)] },
  answerMaxBytes: SQL_LIMITS.answerMaxBytes ?? Infinity,
});
