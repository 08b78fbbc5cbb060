/** The program of the evaluator processes, bundled into one text that `statement-evaluation.ts` contains. */
import { arrowWriter } from "../adapters/arrow/arrow-stream.ts";
import { SQL_LIMITS, SquirrelingSql } from "../adapters/squirreling/squirreling-sql.ts";
import { typedRows, withinLimits } from "../adapters/squirreling/whole-answer.ts";
import { channelToParent } from "../adapters/statements/channel-to-parent.ts";
import { serveStatements } from "../adapters/statements/serve-statements.ts";
import { columnedJson, rowsJson } from "../api/admin/sql/query-rows.ts";

serveStatements(channelToParent(), {
  evaluate: async (statement, tables, { nowMs, form, isWhole }) => {
    const rows = await new SquirrelingSql(() => nowMs).stream(statement, tables);
    // A stream of Arrow begins with the types of its columns. Without declared types, only all rows together show the types.
    if (form === "arrow" && !rows.isTyped) return await typedRows(rows, SQL_LIMITS);
    return isWhole ? { ...rows, groups: withinLimits(rows.groups, SQL_LIMITS) } : rows;
  },
  write: { json: rowsJson, "columned-json": columnedJson, arrow: arrowWriter },
});
