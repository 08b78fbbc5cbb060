/** The table of the list: a head, and a window of rows. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { WindowList } from "../../parts/window-list.tsx";
import type { InvocationList } from "./invocation-list.ts";
import { nowMs } from "../../data/clock.ts";
import type { ListRow } from "../../model/list-rows.ts";
import { hrefTo } from "../../model/route.ts";
import { durationText, momentOf } from "../../model/time-text.ts";
import { whyText } from "../../model/why.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Age } from "../../parts/moment.tsx";
import { DeploymentLink, InvocationLink } from "../../parts/short-id.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";

const ROW_PX = 28;
/** A narrow row has two lines, and room for a finger. */
const NARROW_ROW_PX = 52;
const NARROW = matchMedia("(max-width: 640px)");
const TARGET_CHARS = 80;
const WHY_CHARS = 240;

const HEADS = [
  { words: "Status", name: "status" },
  { words: "Target", name: "target" },
  { words: "Why", name: "why" },
  { words: "Attempt", name: "attempt right" },
  { words: "Age", name: "age right" },
  { words: "Duration", name: "duration right" },
  { words: "Deployment", name: "deployment" },
  { words: "Id", name: "id" },
];

export function InvocationTable({ list }: { readonly list: InvocationList }): JSX.Element {
  const { shown } = list.rows.value;
  const isNarrow = useIsNarrow();
  return (
    <div class="invocation-table" role="table" aria-label="Invocations" aria-rowcount={shown.length + 1}>
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} class="invocation-row head">
          <span role="columnheader" class="cell check">
            <AllBox list={list} />
          </span>
          {HEADS.map(({ words, name }) => (
            <span key={name} role="columnheader" class={`cell ${name}`}>
              {words}
            </span>
          ))}
        </div>
      </div>
      <WindowList
        role="rowgroup"
        label="Rows"
        count={shown.length}
        rowHeightPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
        selected={list.current.value}
        row={(index) => {
          const row = shown[index];
          return row === undefined ? null : <InvocationRow key={row.id} list={list} row={row} index={index} />;
        }}
      />
    </div>
  );
}

function AllBox({ list }: { readonly list: InvocationList }): JSX.Element {
  const { shown } = list.rows.value;
  const count = list.selected.value.size;
  const isAll = count > 0 && shown.every(({ id }) => list.selected.value.has(id));
  return (
    <input
      type="checkbox"
      aria-label={`Select the ${shown.length} loaded rows`}
      checked={isAll}
      ref={(box) => {
        if (box !== null) box.indeterminate = count > 0 && !isAll;
      }}
      onChange={() => (isAll ? list.selectNone() : list.selectLoaded())}
    />
  );
}

function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const change = (): void => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", change);
    return () => NARROW.removeEventListener("change", change);
  }, []);
  return isNarrow;
}

interface InvocationRowProps {
  readonly list: InvocationList;
  readonly row: ListRow;
  readonly index: number;
}

function InvocationRow({ list, row, index }: InvocationRowProps): JSX.Element {
  const isCurrent = list.current.value === index;
  const isSelected = list.selected.value.has(row.id);
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) link.current?.focus({ preventScroll: true });
  }, [isCurrent]);
  const { id, status, outcome, target, attempts, created_at: createdAt, pinned_deployment_id: deployment } = row;
  const { scope, limit_key: limitKey } = row;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      class={`invocation-row ${isCurrent ? "current" : ""} ${isSelected ? "selected" : ""}`}
    >
      <span role="cell" class="cell check">
        <input
          type="checkbox"
          aria-label={`Select ${id}`}
          checked={isSelected}
          onClick={(event) => {
            list.toggleRow(index, event.shiftKey);
            // The click has toggled the box, but a selected range may decide otherwise, so the box follows the selection.
            event.currentTarget.checked = list.selected.peek().has(id);
          }}
        />
      </span>
      <span role="cell" class="cell status">
        <StatusMark status={status} outcome={outcome} />
      </span>
      <span role="cell" class="cell target">
        <a ref={link} href={hrefTo("invocations", [id])}>
          <ForeignText text={target} maxChars={TARGET_CHARS} />
        </a>
        {scope !== undefined && (
          <span class="dim">
            {" "}
            in <ForeignText text={limitKey === undefined ? scope : `${scope} ${limitKey}`} maxChars={TARGET_CHARS} />
          </span>
        )}
      </span>
      <Why row={row} />
      <span role="cell" class="cell attempt right number">
        {attempts === 0 ? "" : attempts}
      </span>
      <span role="cell" class="cell age right">
        <Age at={createdAt} />
      </span>
      <span role="cell" class="cell duration right number">
        {lasted(row)}
      </span>
      <span role="cell" class="cell deployment">
        {deployment !== undefined && <DeploymentLink id={deployment} />}
      </span>
      <span role="cell" class="cell id">
        <InvocationLink id={id} />
      </span>
    </div>
  );
}

/** The time from the acceptance to the end, a delayed start included. */
function lasted({ created_at: from, completed_at: to }: ListRow): string {
  const [fromMs, toMs] = [momentOf(from), momentOf(to)];
  return fromMs === undefined || toMs === undefined ? "" : durationText(Math.max(0, toMs - fromMs));
}

/** Renders each second, because its text counts down to a moment. */
function Why({ row }: { readonly row: ListRow }): JSX.Element {
  const text = row.status === "completed" ? whyText(row, 0) : whyText(row, nowMs());
  return (
    <span role="cell" class={`cell why ${row.outcome === "failed" ? "tone-failed" : ""}`}>
      {text !== "" && <ForeignText text={text} maxChars={WHY_CHARS} />}
    </span>
  );
}
