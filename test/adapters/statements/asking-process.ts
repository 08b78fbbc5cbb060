/** This program runs a statement that takes very long, and prints the id of the process that evaluates the statement. */
import { StatementProcesses } from "../../../shared/adapters/statements/process-sql.ts";
import { tableShape } from "../../../shared/core/query/table-shape.ts";

declare const STATEMENT_PROGRAM: string;

const processes = new StatementProcesses({
  program: STATEMENT_PROGRAM,
  nowMs: () => Date.now(),
  memoryMaxBytes: 64 * 1024 * 1024,
  timeLimitMs: 60_000,
});
const table = {
  shape: tableShape("numbers", "x i"),
  ordered: false,
  async *scan() {
    yield { cell: () => 1 };
    console.log(processes.pids.join());
  },
};
let statement = "SELECT x FROM numbers";
for (let level = 0; level < 28; level++) statement = `SELECT x+x AS x FROM (${statement}) t`;
await processes.as("json").run(statement, [table]);
