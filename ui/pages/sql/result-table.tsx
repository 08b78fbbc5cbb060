/** The rows of an answer: a table that has only its visible rows in the document. */
import { Fragment, type JSX } from "preact";
import { useMemo, useState, useEffect, useRef } from "preact/hooks";
import { cellText, columnWidths, isNumeric, type AnswerRow, type StatementAnswer } from "../../model/sql-answer.ts";
import { visibleLine } from "../../model/visible-text.ts";
import { WindowList } from "../../parts/window-list.tsx";
import { Payload } from "../../parts/payload.tsx";
import { DeploymentLink, InvocationLink } from "../../parts/short-id.tsx";

const ROW_PX = 28;

interface Column {
  readonly name: string;
  readonly isNumeric: boolean;
}

export function ResultTable({ answer }: { readonly answer: StatementAnswer }): JSX.Element {
  const [chosen, setChosen] = useState<number>();
  const columns = useMemo(() => answer.columns.map((name) => ({ name, isNumeric: isNumeric(answer, name) })), [answer]);
  const template = useMemo(
    () =>
      columnWidths(answer)
        .map((chars) => `${chars}ch`)
        .join(" "),
    [answer],
  );
  const grid = { gridTemplateColumns: `6ch ${template}` };
  const row = chosen === undefined ? undefined : answer.rows[chosen];
  return (
    <>
      <div class="sql-result" role="region" aria-label="Rows" tabIndex={0}>
        <div role="table" aria-label="Rows of the answer" aria-rowcount={answer.rows.length + 1}>
          <div role="row" class="sql-row sql-head" style={grid} aria-rowindex={1}>
            <span role="columnheader" class="right dim">
              <span class="visually-hidden">Number</span>#
            </span>
            {columns.map((column) => (
              <span key={column.name} role="columnheader" class={column.isNumeric ? "right" : undefined}>
                <bdi>{visibleLine(column.name)}</bdi>
              </span>
            ))}
          </div>
          <WindowList
            count={answer.rows.length}
            rowHeightPx={ROW_PX}
            label="Rows of the answer"
            role="rowgroup"
            row={(at) => (
              <div
                key={at}
                role="row"
                class={at === chosen ? "sql-row chosen" : "sql-row"}
                style={grid}
                aria-rowindex={at + 2}
              >
                <span role="cell" class="right">
                  <button
                    type="button"
                    class="quiet number"
                    aria-label={`Show row ${at + 1}`}
                    onClick={() => setChosen(at)}
                  >
                    {at + 1}
                  </button>
                </span>
                {columns.map((column) => (
                  <Cell key={column.name} column={column} row={answer.rows[at]!} />
                ))}
              </div>
            )}
          />
        </div>
      </div>
      {row !== undefined && (
        <RowDetail columns={answer.columns} row={row} number={chosen! + 1} onClose={() => setChosen(undefined)} />
      )}
    </>
  );
}

function Cell({ column, row }: { readonly column: Column; readonly row: AnswerRow }): JSX.Element {
  const text = cellText(row[column.name]);
  if (text === undefined) {
    return (
      <span role="cell" class={column.isNumeric ? "right dim" : "dim"}>
        NULL
      </span>
    );
  }
  return (
    <span role="cell" class={column.isNumeric ? "right number" : undefined}>
      <CellContent text={text} />
    </span>
  );
}

/** All columns of one row, with their whole values. */
interface RowDetailProps {
  readonly columns: readonly string[];
  readonly row: AnswerRow;
  readonly number: number;
  readonly onClose: () => void;
}

/** A value that is longer than this, has several lines, or looks like JSON is shown as a payload. */
const LINE_MAX_CHARS = 120;

function RowDetail({ columns, row, number, onClose }: RowDetailProps): JSX.Element {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: "nearest" }), [number]);
  return (
    <section ref={section} class="row-detail" aria-label={`AnswerRow ${number}`}>
      <div class="bar">
        <h2>AnswerRow {number}</h2>
        <button type="button" class="quiet" onClick={onClose}>
          close
        </button>
      </div>
      <dl class="facts">
        {columns.map((column) => (
          <Fragment key={column}>
            <dt>
              <bdi>{visibleLine(column)}</bdi>
            </dt>
            <dd>
              <Value text={cellText(row[column])} name={column} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

function Value({ text, name }: { readonly text: string | undefined; readonly name: string }): JSX.Element {
  if (text === undefined) return <span class="dim">NULL</span>;
  const isLong = text.length > LINE_MAX_CHARS || text.includes("\n") || /^[[{]/.test(text);
  return isLong ? <Payload content={text} fileName={`${name}.txt`} /> : <CellContent text={text} />;
}

/** The bound on the shown text of a cell. No column is wide enough to show a longer text. */
const CELL_MAX_CHARS = 200;
const INVOCATION = /^inv_[0-9A-Za-z]{20,60}$/;
const DEPLOYMENT = /^dp_[0-9A-Za-z]{10,60}$/;

/** The text of one cell; ids lead to their pages. */
function CellContent({ text }: { readonly text: string }): JSX.Element {
  if (INVOCATION.test(text)) return <InvocationLink id={text} whole />;
  if (DEPLOYMENT.test(text)) return <DeploymentLink id={text} whole />;
  return <bdi>{visibleLine(text.slice(0, CELL_MAX_CHARS))}</bdi>;
}
