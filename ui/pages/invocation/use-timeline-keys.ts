/** The keys of a timeline: rows, problems, zoom and search. */
import { useMemo, useRef } from "preact/hooks";
import { setQuery } from "../../data/location.ts";
import { useShortcuts, type Shortcut } from "../../data/shortcuts.ts";
import { panned, rangeText, zoomed } from "../../model/timeline/activity.ts";
import { hasFailed, type Row } from "../../model/timeline/rows.ts";
import type { Span } from "../../model/timeline/scale.ts";
import type { Chosen } from "./use-chosen.ts";

export interface TimelineKeys {
  readonly rows: readonly Row[];
  readonly chosen: Chosen;
  readonly whole: Span;
  readonly shown: Span;
  readonly isCollapsed: boolean;
  readonly toggle: (row: Row) => void;
  readonly toggleAll: (isExpanded: boolean) => void;
}

const ZOOM_IN = 0.5;
const ZOOM_OUT = 2;
const PAN_SHARE = 0.25;

export function useTimelineKeys(keys: TimelineKeys): void {
  // The shortcuts stay the same array, and read the latest rows when a key is pressed.
  const latest = useRef(keys);
  latest.current = keys;
  useShortcuts(useMemo(() => shortcutsOf(() => latest.current), []));
}

function shortcutsOf(now: () => TimelineKeys): readonly Shortcut[] {
  return [
    { keys: "j", words: "Next row", run: () => move(now(), 1) },
    { keys: "k", words: "Previous row", run: () => move(now(), -1) },
    { keys: "e", words: "Expand or collapse the row", run: () => toggleChosen(now()) },
    { keys: "]", words: "Expand all rows", run: () => now().toggleAll(true) },
    { keys: "[", words: "Collapse all rows", run: () => now().toggleAll(false) },
    { keys: "n", words: "Next problem", run: () => toProblem(now(), 1) },
    { keys: "p", words: "Previous problem", run: () => toProblem(now(), -1) },
    { keys: "z", words: "Collapse long waits, or show them whole", run: () => toggleWaits(now().isCollapsed) },
    { keys: "+", words: "Zoom in", run: () => zoom(now(), ZOOM_IN) },
    { keys: "-", words: "Zoom out", run: () => zoom(now(), ZOOM_OUT) },
    { keys: "0", words: "Show all of the time", run: () => setQuery({ range: undefined }) },
    { keys: "ArrowLeft", words: "Earlier", run: () => pan(now(), -PAN_SHARE) },
    { keys: "ArrowRight", words: "Later", run: () => pan(now(), PAN_SHARE) },
    {
      keys: "/",
      words: "Find an operation",
      run: () => document.querySelector<HTMLElement>("#find-operation")?.focus(),
    },
    { keys: "Escape", words: "Close the details", run: () => now().chosen.close() },
  ];
}

function move({ rows, chosen }: TimelineKeys, by: number): void {
  for (let at = (chosen.at ?? (by > 0 ? -1 : rows.length)) + by; at >= 0 && at < rows.length; at += by) {
    if (rows[at]!.kind !== "note") return chosen.choose(rows[at]!);
  }
}

function toProblem({ rows, chosen }: TimelineKeys, by: number): void {
  for (let at = (chosen.at ?? (by > 0 ? -1 : rows.length)) + by; at >= 0 && at < rows.length; at += by) {
    const row = rows[at]!;
    if (row.kind === "group" ? row.failed > 0 : row.kind === "operation" && hasFailed(row.operation))
      return chosen.choose(row);
  }
}

function toggleChosen({ rows, chosen, toggle }: TimelineKeys): void {
  const row = chosen.at === undefined ? undefined : rows[chosen.at];
  if (row?.kind === "group" || (row?.kind === "operation" && row.isExpanded !== undefined)) toggle(row);
}

export function toggleWaits(isCollapsed: boolean): void {
  setQuery({ waits: isCollapsed ? "whole" : undefined });
}

export function zoom({ shown, whole }: Pick<TimelineKeys, "shown" | "whole">, factor: number): void {
  show(zoomed(shown, whole, factor), whole);
}

function pan({ shown, whole }: TimelineKeys, share: number): void {
  show(panned(shown, whole, share), whole);
}

/** The address has no range if the whole time is shown: the shown time then grows as long as the invocation is open. */
export function show(span: Span, whole: Span): void {
  const isWhole = span.startMs <= whole.startMs && span.endMs >= whole.endMs;
  setQuery({ range: isWhole ? undefined : rangeText(span, whole) });
}
