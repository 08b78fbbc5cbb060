/** The line above a timeline: search, the counts of entries and rows, zoom, and a button that collapses waits. */
import type { JSX } from "preact";
import type { InvocationBody } from "../../../shared/api/wire/invocation.ts";
import { setQuery } from "../../data/location.ts";
import { countText } from "../../model/size-text.ts";
import type { Row } from "../../model/timeline/rows.ts";
import type { Span } from "../../model/timeline/scale.ts";
import { toggleWaits, zoom } from "./use-timeline-keys.ts";

export interface TimelineToolsProps {
  readonly body: InvocationBody;
  readonly rows: readonly Row[];
  readonly find: string;
  readonly whole: Span;
  readonly shown: Span;
  readonly isCollapsed: boolean;
}

const ZOOM_IN = 0.5;
const ZOOM_OUT = 2;

export function TimelineTools({ body, rows, find, whole, shown, isCollapsed }: TimelineToolsProps): JSX.Element {
  const isWhole = shown.startMs <= whole.startMs && shown.endMs >= whole.endMs;
  return (
    <div class="timeline-tools">
      <h2>Timeline</h2>
      <label>
        <span class="visually-hidden">Find an operation</span>
        <input
          id="find-operation"
          type="search"
          placeholder="find by name, kind, error"
          value={find}
          onInput={({ currentTarget }) => setQuery({ find: currentTarget.value })}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
      </label>
      <span class="dim number">
        {countText(body.entry_count)} {body.entry_count === 1 ? "entry" : "entries"}, {countText(rows.length)}{" "}
        {rows.length === 1 ? "row" : "rows"}
      </span>
      <span class="buttons" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom in" onClick={() => zoom({ shown, whole }, ZOOM_IN)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" disabled={isWhole} onClick={() => zoom({ shown, whole }, ZOOM_OUT)}>
          −
        </button>
        <button type="button" disabled={isWhole} onClick={() => setQuery({ range: undefined })}>
          All
        </button>
        <button type="button" aria-pressed={isCollapsed} onClick={() => toggleWaits(isCollapsed)}>
          Collapse waits
        </button>
      </span>
    </div>
  );
}
