/** Evaluates SQL statements and writes their answers, in the local process and in the functions. */
import { StatementProcesses } from "../adapters/statements/process-sql.ts";
import type { StatementEvaluation } from "../api/admin/requests/admin-request.ts";
import type { Settings } from "../config/settings-table.ts";
import type { Engine } from "../engine/engine.ts";

/** The bundle of `statement-program.ts` as a text. Each build of this file defines it (`infra/build/built-in-texts.mjs`). */
declare const STATEMENT_PROGRAM: string;

export interface OpenStatementEvaluation extends StatementEvaluation {
  /** The process ids of the evaluators, busy or idle. */
  readonly pids: readonly number[];
  /** Ends running statements and refuses later ones. */
  close(): void;
}

export type StatementSettings = Pick<Settings, "admin.query-engine.memory-size" | "admin.query-engine.time-limit">;

/** The environment of the evaluators: a limit of their memory, and variables. */
export interface StatementPlace {
  /** The most memory of a statement. Has no effect if the setting `admin.query-engine.memory-size` is lower. */
  readonly memoryMaxBytes?: number;
  /** The variables of this process. The evaluators get only the variables that Node needs to start, and no secrets. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The limit of an answer, in bytes; present if an answer can be sent only as a whole. */
  readonly wholeMaxBytes?: number;
}

/** The paths of Node's libraries, and the variables that Windows needs to start a process. */
const VARIABLES = ["LD_LIBRARY_PATH", "SystemRoot"] as const;

export function statementEvaluation(
  { clock }: Pick<Engine, "clock">,
  settings: StatementSettings,
  { memoryMaxBytes = Infinity, environment = {}, wholeMaxBytes }: StatementPlace = {},
): OpenStatementEvaluation {
  const known = VARIABLES.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
  const processes = new StatementProcesses({
    program: STATEMENT_PROGRAM,
    nowMs: () => clock.nowMs(),
    environment: Object.fromEntries(known) as Record<string, string>,
    memoryMaxBytes: Math.min(settings["admin.query-engine.memory-size"], memoryMaxBytes),
    timeLimitMs: settings["admin.query-engine.time-limit"],
    ...(wholeMaxBytes !== undefined && { wholeMaxBytes }),
  });
  return {
    json: processes.as("json"),
    columnedJson: processes.as("columned-json"),
    arrow: processes.as("arrow"),
    get pids() {
      return processes.pids;
    },
    close: () => processes.close(),
  };
}
