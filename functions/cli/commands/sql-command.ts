/** `stepwell sql`: runs one statement over the tables of the control plane, and prints its rows. */
import { Command, Option } from "commander";
import { WITHOUT_LIMIT } from "../http/admin-client.ts";
import { CommandFailure, EXIT_NO_SERVER, EXIT_REFUSED, EXIT_USAGE } from "../text/command-failure.ts";
import { readStandardInput } from "./payload.ts";
import { sessionOf, type Session } from "../http/session.ts";
import { csvText, readRows, type Cell, type SqlRows } from "../text/sql-rows.ts";
import { tableText } from "../text/table.ts";
import type { Colours } from "../text/terminal.ts";
import { foreignLine } from "../text/visible-text.ts";

const FIX =
  'Tables and columns: stepwell sql "SELECT table_name, column_name, data_type FROM information_schema.columns". `WHERE id = …` reads a single invocation.';

/** The bounds of a table for people; JSON and CSV have none. */
const ROWS_MAX = 1000;
const CELL_MAX = 200;

export function sqlCommand(): Command {
  return new Command("sql")
    .description(
      "Run a SELECT over invocations, journals, states, services and deployments. Tables leave out columns without any value.",
    )
    .argument("<statement>", "one SELECT; - reads it from standard input")
    .addOption(new Option("--csv", "write the rows as CSV, with a line of column names"))
    .action((statement: string, flags: { readonly csv?: true }, command: Command) =>
      ask(sessionOf(command), statement, flags.csv === true),
    );
}

async function ask(session: Session, written: string, isCsv: boolean): Promise<void> {
  if (isCsv && session.json)
    throw new CommandFailure("--csv and --json exclude each other", {
      exitCode: EXIT_USAGE,
      fix: "Choose one format.",
    });
  const query = written === "-" ? (await readStandardInput()).toString("utf8") : written;
  // A program that reads CSV gets the same columns for every answer; people get only the columns that have a value.
  const asked = { query, ...(isCsv && { columns: true }) };
  const { body } = await session.admin.askText("POST", "query", asked, "Reading", WITHOUT_LIMIT).catch(withTables);
  const rows = rowsIn(body);
  // The text of the server keeps the digits of large integers.
  if (session.json) return session.terminal.printJson(body);
  if (isCsv) return session.terminal.printForeign(csvText(rows));
  session.terminal.print(rowsText(session.terminal.colours, rows));
  const more = rows.rows.length - ROWS_MAX;
  if (more > 0) session.terminal.tell(`${more} more rows: --csv or --json shows all, and LIMIT selects some.`);
}

function rowsIn(body: string): SqlRows {
  try {
    return readRows(body);
  } catch {
    throw new CommandFailure("The answer of the server has no rows", {
      exitCode: EXIT_NO_SERVER,
      cause: "the server is not an admin API, or the connection broke",
      fix: "Check that --admin-url is the address of an admin API.",
    });
  }
}

function withTables(error: unknown): never {
  if (!(error instanceof CommandFailure) || error.text.exitCode !== EXIT_REFUSED || error.text.code !== undefined)
    throw error;
  throw new CommandFailure(error.message, { ...error.text, fix: FIX });
}

function rowsText(colours: Colours, { columns, rows }: SqlRows): string {
  if (rows.length === 0) return "No row matches.";
  const isNumeric = columns.map((_, at) => rows.every((row) => isNumberOrNothing(row[at])));
  const text = (cell: Cell): string => (cell === undefined ? colours.dim("NULL") : cellText(cell));
  return tableText(
    colours,
    columns.map((column) => cellText(column)),
    rows.slice(0, ROWS_MAX).map((row) => row.map(text)),
    isNumeric.map((numeric) => (numeric ? "right" : "left")),
  );
}

function isNumberOrNothing(cell: Cell): boolean {
  return cell === undefined || typeof cell === "number" || typeof cell === "bigint";
}

/** A row stays on one line, and a long text is cut. */
function cellText(cell: NonNullable<Cell>): string {
  const text = foreignLine(String(cell).replaceAll("\n", "␊"));
  return text.length <= CELL_MAX ? text : `${text.slice(0, CELL_MAX - 1)}…`;
}
