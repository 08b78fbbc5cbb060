/** The page of statements: an editor, the rows of the answer, and the earlier statements. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { route, setQuery } from "../../data/location.ts";
import { loadTables, pastStatements, tables, noteStatement, runStatement } from "../../data/statements.ts";
import { csvText, placeOf, positionIn, type StatementAnswer } from "../../model/sql-answer.ts";
import { countText } from "../../model/size-text.ts";
import { durationText } from "../../model/time-text.ts";
import { shortened, visibleLine } from "../../model/visible-text.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Editor } from "../../parts/editor.tsx";
import { download } from "../../parts/payload.tsx";
import { Empty, ProblemBox } from "../../parts/states.tsx";
import { ResultTable } from "./result-table.tsx";
import { problemOf, type ApiProblem } from "../../data/api.ts";

export function SqlPage(): JSX.Element {
  const query = route.value?.query;
  const inAddress = query?.get("statement") ?? "";
  const runsAtOnce = query?.get("run") === "1";
  const [text, setText] = useState(inAddress);
  const { state, run, stop } = useStatementRun();
  const runNow = (statement: string): void => {
    if (statement.trim() === "") return;
    setQuery({ statement, run: "1" });
    void run(statement);
  };
  const latest = useRef(runNow);
  latest.current = runNow;
  useEffect(() => {
    // Completion is a convenience: without the tables the editor completes only keywords.
    void loadTables().catch(() => undefined);
  }, []);
  useEffect(() => {
    // A link to a statement fills the editor, and runs the statement if the link has `run=1`. The page stays mounted when the
    // reader follows another such link, so this effect watches the address.
    if (inAddress === "" || inAddress === state.statement) return;
    setText(inAddress);
    if (runsAtOnce) latest.current(inAddress);
  }, [inAddress]);
  const choose = (statement: string): void => {
    setText(statement);
    runNow(statement);
  };
  const wrongAt = state.kind === "failed" && state.statement === text ? positionIn(state.problem.message) : undefined;
  return (
    <div class="sql-page">
      <div class="bar">
        <h1>SQL</h1>
        <Choices onChoose={choose} />
      </div>
      <Editor
        language="sql"
        label="Statement"
        hint="select id, target, status from sys_invocation limit 100"
        value={text}
        tables={tables.value}
        wrongAt={wrongAt}
        onChange={setText}
        onRun={() => runNow(text)}
      />
      <div class="buttons">
        {state.kind === "running" ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" class="primary" disabled={text.trim() === ""} onClick={() => runNow(text)}>
            Run
          </button>
        )}
        <span class="dim when-keys">
          <kbd>Ctrl</kbd>
          <kbd>Enter</kbd>runs, <kbd>Esc</kbd>leaves the editor
        </span>
        <Outcome state={state} />
      </div>
      <Answer state={state} />
    </div>
  );
}

function Choices({ onChoose }: { readonly onChoose: (statement: string) => void }): JSX.Element {
  const past = pastStatements.value;
  return (
    <div class="buttons">
      <label>
        <span class="visually-hidden">Ready-made statements</span>
        <select
          value=""
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            currentTarget.value = "";
            onChoose(value);
          }}
        >
          <option value="">Questions …</option>
          {READY_STATEMENTS.map(({ question, statement }) => (
            <option key={question} value={statement}>
              {question}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="visually-hidden">Statements of this tab</span>
        <select
          value=""
          disabled={past.length === 0}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            currentTarget.value = "";
            onChoose(value);
          }}
        >
          <option value="">History …</option>
          {past.map((statement) => (
            <option key={statement} value={statement}>
              {shortened(visibleLine(statement.replaceAll(/\s+/g, " ")), 80)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** The result of the statement in words, beside the buttons. */
function Outcome({ state }: { readonly state: RunState }): JSX.Element {
  const words = outcomeWords(state);
  return (
    <span role="status" class="number">
      {words}
    </span>
  );
}

function outcomeWords(state: RunState): string {
  switch (state.kind) {
    case "idle":
      return "";
    case "running":
      return `runs for ${durationText(Math.floor(state.forMs / 1_000) * 1_000)}`;
    case "stopped":
      return "stopped";
    case "failed":
      return `failed after ${durationText(state.tookMs)}`;
    case "done": {
      const { length } = state.answer.rows;
      return `${countText(length)} ${length === 1 ? "row" : "rows"} in ${durationText(state.tookMs)}`;
    }
  }
}

function Answer({ state }: { readonly state: RunState }): JSX.Element | null {
  if (state.kind === "failed") return <StatementProblem state={state} />;
  if (state.kind === "idle") {
    return (
      <Empty>
        <p>
          One SELECT over the tables of invocations, journals, state, services and deployments. Choose a question above,
          or type: the editor completes tables and columns.
        </p>
      </Empty>
    );
  }
  if (state.kind !== "done") return null;
  const { answer } = state;
  if (answer.rows.length === 0) {
    return (
      <Empty>
        <p>No rows. The statement is valid, and nothing matches it.</p>
      </Empty>
    );
  }
  return (
    <>
      <div class="buttons">
        <button type="button" onClick={() => download(csvText(answer), "rows.csv")}>
          Download CSV
        </button>
        <CopyButton text={`stepwell sql ${shellText(state.statement)}`} what="command line" />
        <span class="dim">copies the command line</span>
      </div>
      <ResultTable key={state.ranAtMs} answer={answer} />
    </>
  );
}

function StatementProblem({ state }: { readonly state: RunState & { readonly kind: "failed" } }): JSX.Element {
  const position = positionIn(state.problem.message);
  const place = position === undefined ? undefined : placeOf(state.statement, position);
  return (
    <>
      <ProblemBox problem={state.problem} />
      {place !== undefined && (
        <p class="dim">
          Line {place.line}, column {place.column}: marked in the editor.
        </p>
      )}
    </>
  );
}

function shellText(statement: string): string {
  return `'${statement.replaceAll("'", `'\\''`)}'`;
}

/** Statements to start from, each the answer to a question that operators ask. */
interface ReadyStatement {
  readonly question: string;
  readonly statement: string;
}

const READY_STATEMENTS: readonly ReadyStatement[] = [
  {
    question: "What waits, and for what?",
    statement:
      "select id, target, status, created_at, waits_for\nfrom sys_invocation\nwhere status in ('pending', 'backing-off', 'suspended', 'paused')\norder by created_at\nlimit 100",
  },
  {
    question: "What fails, and how often?",
    statement:
      "select target_service_name, target_handler_name, last_failure_error_code, count(*) as invocations\nfrom sys_invocation\nwhere status = 'backing-off'\ngroup by target_service_name, target_handler_name, last_failure_error_code\norder by invocations desc",
  },
  {
    question: "How did the last hour end?",
    statement:
      "select target_service_name, outcome, count(*) as invocations\nfrom sys_invocation\nwhere status = 'completed' and created_at > now() - interval '1 hour'\ngroup by target_service_name, outcome\norder by target_service_name, outcome",
  },
  {
    question: "Which open invocations are the oldest?",
    statement:
      "select id, target, status, created_at\nfrom sys_invocation\nwhere status != 'completed'\norder by created_at\nlimit 50",
  },
  {
    question: "Which deployment runs how much?",
    statement:
      "select pinned_deployment_id, status, count(*) as invocations\nfrom sys_invocation\nwhere status != 'completed'\ngroup by pinned_deployment_id, status\norder by invocations desc",
  },
  {
    question: "Which keys have the longest queues?",
    statement:
      "select service_name, service_key, count(*) as waiting\nfrom sys_inbox\ngroup by service_name, service_key\norder by waiting desc\nlimit 50",
  },
  {
    question: "Which columns are there?",
    statement: "select table_name, column_name, data_type\nfrom information_schema.columns",
  },
];

/**
 * Runs one statement at a time. The state shows for how long the statement has run, and then its answer. The reader can stop
 * the run.
 */
const TICK_MS = 1_000;

type RunState = { readonly statement: string } & (
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly forMs: number }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly problem: ApiProblem; readonly tookMs: number }
  | { readonly kind: "done"; readonly answer: StatementAnswer; readonly tookMs: number; readonly ranAtMs: number }
);

interface StatementRun {
  readonly state: RunState;
  readonly run: (statement: string) => Promise<void>;
  readonly stop: () => void;
}

function useStatementRun(): StatementRun {
  const [state, setState] = useState<RunState>({ kind: "idle", statement: "" });
  const running = useRef<AbortController>();
  const stop = (): void => running.current?.abort();
  useEffect(() => stop, []);
  const run = async (statement: string): Promise<void> => {
    stop();
    const aborter = new AbortController();
    running.current = aborter;
    const startedMs = performance.now();
    const tookMs = (): number => performance.now() - startedMs;
    const show = (next: RunState): void => {
      if (running.current === aborter) setState(next);
    };
    show({ kind: "running", statement, forMs: 0 });
    const tick = setInterval(() => show({ kind: "running", statement, forMs: tookMs() }), TICK_MS);
    noteStatement(statement);
    try {
      const answer = await runStatement(statement, aborter.signal);
      show({ kind: "done", statement, answer, tookMs: tookMs(), ranAtMs: startedMs });
    } catch (error) {
      if (aborter.signal.aborted) show({ kind: "stopped", statement });
      else show({ kind: "failed", statement, problem: problemOf(error), tookMs: tookMs() });
    } finally {
      clearInterval(tick);
    }
  };
  return { state, run, stop };
}
