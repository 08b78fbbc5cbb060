/** The page of statements: an editor, the rows of the answer, and the earlier statements. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { route, setQuery } from "../../data/location.ts";
import { loadTables, pastStatements, tables } from "../../data/statements.ts";
import { csvText } from "../../model/csv.ts";
import { countText } from "../../model/size-text.ts";
import { placeOf, positionIn } from "../../model/sql-answer.ts";
import { durationText } from "../../model/time-text.ts";
import { shortened, visibleLine } from "../../model/visible-text.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Editor } from "../../parts/editor.tsx";
import { download } from "../../parts/payload.tsx";
import { Empty, ProblemBox } from "../../parts/states.tsx";
import { READY_STATEMENTS } from "./ready-statements.ts";
import { ResultTable } from "./result-table.tsx";
import { useStatementRun } from "./statement-run.ts";
import type { RunState } from "./statement-run.ts";

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
