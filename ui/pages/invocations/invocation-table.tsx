/** The table of the list: a head, and a window of rows. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { WindowList } from "../../parts/window-list.tsx";
import type { InvocationList } from "./invocation-list.ts";
import { InvocationRow } from "./invocation-row.tsx";
import { selectLoaded, selectNone } from "./row-selection.ts";

const ROW_PX = 28;
/** A narrow row has two lines, and room for a finger. */
const NARROW_ROW_PX = 52;
const NARROW = matchMedia("(max-width: 640px)");

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
      onChange={() => (isAll ? selectNone(list) : selectLoaded(list))}
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
