/** What reads statements and writes their answers: the same in the local process and in the functions. */
import { StatementProcesses } from "../adapters/statements/process-sql.ts";
import type { StatementFront } from "../api/admin/admin-request.ts";
import type { Settings } from "../config/settings-table.ts";
import type { Engine } from "../engine/engine.ts";

/** The bundle of `statement-program.ts` as a text, which whatever builds this file puts in (`infra/statement-program.mjs`). */
declare const STATEMENT_PROGRAM: string;

export interface OpenStatementFront extends StatementFront {
  /** The ids of the processes that evaluate, or wait for a statement. */
  readonly pids: readonly number[];
  /** Ends the statements that run, and refuses those that come later. */
  close(): void;
}

export type StatementSettings = Pick<Settings, "admin.query-engine.memory-size" | "admin.query-engine.time-limit">;

/** What the place says that the processes run in. */
export interface StatementPlace {
  /** What a statement may take where that is less than the setting. */
  readonly memoryMaxBytes?: number;
  /** Those of this process; of them the evaluators get what Node needs to start, and nothing that may be secret. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Where Node's own libraries are, and what Windows starts no process without. */
const VARIABLES = ["LD_LIBRARY_PATH", "SystemRoot"] as const;

export function statementFront(
  { clock }: Pick<Engine, "clock">,
  settings: StatementSettings,
  { memoryMaxBytes = Infinity, environment = {} }: StatementPlace = {},
): OpenStatementFront {
  const known = VARIABLES.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
  const processes = new StatementProcesses({
    program: STATEMENT_PROGRAM,
    nowMs: () => clock.nowMs(),
    environment: Object.fromEntries(known) as Record<string, string>,
    memoryMaxBytes: Math.min(settings["admin.query-engine.memory-size"], memoryMaxBytes),
    timeLimitMs: settings["admin.query-engine.time-limit"],
  });
  return {
    json: processes.as("json"),
    arrow: processes.as("arrow"),
    get pids() {
      return processes.pids;
    },
    close: () => processes.close(),
  };
}
