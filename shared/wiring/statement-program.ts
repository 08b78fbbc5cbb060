/** The program of the evaluator processes, bundled into one text that `statement-evaluation.ts` contains. */
import { arrowWriter } from "../adapters/arrow/arrow-stream.ts";
import { SqlEngine } from "../adapters/sql/sql-engine.ts";
import { SQL_LIMITS, withinLimits } from "../adapters/sql/limits.ts";
import { channelToParent } from "../adapters/statements/channel-to-parent.ts";
import { serveStatements } from "../adapters/statements/serve-statements.ts";
import { columnedJson, rowsJson } from "../api/admin/sql/query-rows.ts";

serveStatements(channelToParent(), {
  evaluate: (statement, tables, { nowMs, isWhole }) => {
    const rows = new SqlEngine(() => nowMs).stream(statement, tables);
    return isWhole ? { ...rows, groups: withinLimits(rows.groups, SQL_LIMITS) } : rows;
  },
  write: { json: rowsJson, "columned-json": columnedJson, arrow: arrowWriter },
});
