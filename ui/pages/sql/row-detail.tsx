/** All columns of one row, with their whole values. */
import type { JSX } from "preact";
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Row } from "../../model/sql-answer.ts";
import { cellText } from "../../model/sql-answer.ts";
import { visibleLine } from "../../model/visible-text.ts";
import { Payload } from "../../parts/payload.tsx";
import { CellContent } from "./cell-content.tsx";

export interface RowDetailProps {
  readonly columns: readonly string[];
  readonly row: Row;
  readonly number: number;
  readonly onClose: () => void;
}

/** A value that is longer than this, has several lines, or looks like JSON is shown as a payload. */
const LINE_MAX_CHARS = 120;

export function RowDetail({ columns, row, number, onClose }: RowDetailProps): JSX.Element {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: "nearest" }), [number]);
  return (
    <section ref={section} class="row-detail" aria-label={`Row ${number}`}>
      <div class="bar">
        <h2>Row {number}</h2>
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
