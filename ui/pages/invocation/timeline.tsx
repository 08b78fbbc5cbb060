/** The timeline of an invocation: one row for each operation, time from left to right, details of the chosen row beside it. */
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState, useEffect } from "preact/hooks";
import type { InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { nowMs, peekNowMs } from "../../data/clock.ts";
import { route, setQuery } from "../../data/location.ts";
import { busySpans, rangeIn, wholeSpan } from "../../model/timeline/activity.ts";
import { attemptMarks, type AttemptMark } from "../../model/timeline/attempts.ts";
import type { Operation } from "../../model/timeline/operation.ts";
import { rowsOf, type Row, type Child } from "../../model/timeline/rows.ts";
import { timeScale, type Span } from "../../model/timeline/scale.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Skeleton } from "../../parts/states.tsx";
import { WindowList } from "../../parts/window-list.tsx";
import type { Ask } from "./dialogs.tsx";
import { AttemptStrip } from "./attempts.tsx";
import { Axis, Minimap } from "./axis.tsx";
import { EntryPanel } from "./entry-panel.tsx";
import { TimelineRow } from "./timeline-row.tsx";
import { useChosen, type Chosen } from "./use-chosen.ts";
import { useTimelineKeys, toggleWaits, zoom } from "./use-timeline-keys.ts";
import { countText } from "../../model/size-text.ts";
import { ApiProblem, ask } from "../../data/api.ts";
import { operationsOf, operationSteps, type TimelineFacts } from "../../model/timeline/operations.ts";

const NONE: readonly Operation[] = [];
const ROW_PX = 28;
const NAMES_PX = 320;
/** An operation without a duration is drawn as a diamond; half of it must fit at both ends of the bars. */
const BARS_LEFT_PX = 16;
const BARS_RIGHT_PX = 8;
const NARROW_PX = 640;
const NARROW_SHARE = 0.48;

export interface TimelineProps {
  readonly body: InvocationBody;
  readonly onAsk: Ask;
}

export function Timeline({ body, onAsk }: TimelineProps): JSX.Element | null {
  const query = route.value?.query ?? new URLSearchParams();
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const isOpen = body.status !== "completed";
  const now = isOpen ? nowMs() : peekNowMs();
  const facts = useMemo(
    () => body,
    [body.entries, body.status, body.waits_for, body.last_failure, body.attempt_spans, body.events],
  );
  const laidOut = useOperations(facts);
  const operations = laidOut?.operations ?? NONE;
  const children = useChildren(body, expanded, operations);
  const find = query.get("find") ?? "";
  const rows = useMemo(
    () => rowsOf(body.id, operations, { expanded, children: children.operations, find }),
    [operations, expanded, children.operations, find],
  );
  const whole = wholeSpan(body, now);
  const shown = rangeIn(query.get("range"), whole) ?? whole;
  const isCollapsed = query.get("waits") !== "whole";
  const busy = useMemo(
    () => [...busySpans(facts, now), ...children.busy(now)],
    [facts, children.operations, isOpen ? now : 0],
  );
  const marks = useMemo(
    () => attemptMarks(body),
    [body.attempts, body.attempt_spans, body.events, body.waits_for, body.status, body.completed_at],
  );
  const chosen = useChosen(rows, operations, query);
  const toggle = (row: Row): void => setExpanded(toggled(expanded, row.key));
  const toggleAll = (isExpanded: boolean): void => setExpanded(new Set(isExpanded ? expandable(rows) : []));
  useTimelineKeys({ rows, chosen, whole, shown, isCollapsed, toggle, toggleAll });
  if (body.entries.length === 0 && isDropped(body)) return null;
  const view = { operations, rows, marks, busy, whole, shown, isCollapsed, now };
  return (
    <section class="timeline-section" aria-label="Timeline">
      <TimelineTools body={body} rows={rows} find={find} whole={whole} shown={shown} isCollapsed={isCollapsed} />
      <div class={`timeline-and-panel${chosen.row === undefined ? "" : " has-panel"}`}>
        <Chart {...view} chosen={chosen} onToggle={toggle} isLoading={laidOut === undefined} find={find} />
        {chosen.row !== undefined && (
          <EntryPanel
            key={chosen.row.key}
            row={chosen.row}
            body={children.bodyOf(chosen.row.invocationId) ?? body}
            originMs={whole.startMs}
            onAsk={onAsk}
            onClose={chosen.close}
          />
        )}
      </div>
    </section>
  );
}

interface ChartProps {
  readonly operations: readonly Operation[];
  readonly rows: readonly Row[];
  readonly marks: readonly AttemptMark[];
  readonly busy: readonly Span[];
  readonly whole: Span;
  readonly shown: Span;
  readonly isCollapsed: boolean;
  readonly now: number;
  readonly chosen: Chosen;
  readonly onToggle: (row: Row) => void;
  readonly isLoading: boolean;
  readonly find: string;
}

function Chart(props: ChartProps): JSX.Element {
  const { rows, marks, busy, whole, shown, isCollapsed, now, chosen } = props;
  const [chosenNamesPx, setNamesPx] = useState(NAMES_PX);
  const [ref, areaPx] = useWidth();
  const namesPx = areaPx < NARROW_PX ? Math.round(areaPx * NARROW_SHARE) : Math.min(chosenNamesPx, areaPx * 0.6);
  const barsPx = Math.max(80, areaPx - namesPx - BARS_LEFT_PX - BARS_RIGHT_PX);
  const scale = useMemo(
    () => timeScale(shown, barsPx, isCollapsed ? busy : undefined),
    [shown.startMs, shown.endMs, barsPx, isCollapsed, busy],
  );
  return (
    <div class={`timeline${marks.length === 0 ? "" : " with-attempts"}`} ref={ref}>
      {marks.length > 0 && <AttemptStrip marks={marks} scale={scale} namesPx={namesPx} now={now} />}
      <Minimap {...props} widthPx={areaPx} />
      <Axis scale={scale} namesPx={namesPx} originMs={whole.startMs} rowsPx={rows.length * ROW_PX} />
      <Splitter namesPx={namesPx} areaPx={areaPx} onChange={setNamesPx} />
      <WindowList
        count={rows.length}
        rowHeightPx={ROW_PX}
        label="Operations"
        selected={chosen.scrollTo}
        row={(at) => (
          <TimelineRow
            key={rows[at]!.key}
            row={rows[at]!}
            scale={scale}
            namesPx={namesPx}
            now={now}
            isChosen={at === chosen.at}
            onChoose={chosen.choose}
            onToggle={props.onToggle}
          />
        )}
      />
      {props.isLoading && <Skeleton />}
      {rows.length === 0 && !props.isLoading && (
        <p class="empty">
          No operation contains “<ForeignText text={props.find} maxChars={80} />
          ”.{" "}
          <button type="button" class="quiet" onClick={() => setQuery({ find: undefined })}>
            Show all
          </button>
        </p>
      )}
    </div>
  );
}

function isDropped({ status, entry_count: count }: InvocationBody): boolean {
  return status === "completed" && count === 0;
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}

function expandable(rows: readonly Row[]): readonly string[] {
  return rows.flatMap((row) =>
    row.kind === "note" || (row.kind === "operation" && row.isExpanded === undefined) ? [] : [row.key],
  );
}

/** The width of the timeline, which follows the window and the panel. */
function useWidth(): [ref: { current: HTMLDivElement | null }, widthPx: number] {
  const ref = useRef<HTMLDivElement>(null);
  const [widthPx, setWidthPx] = useState(900);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = (): void => setWidthPx(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, widthPx];
}

/** The handle between the names and the bars of a timeline: dragged, or moved by the arrow keys. */
interface SplitterProps {
  readonly namesPx: number;
  readonly areaPx: number;
  readonly onChange: (namesPx: number) => void;
}

const NAMES_MIN_PX = 240;
const NAMES_MAX_SHARE = 0.6;
const STEP_PX = 24;

function Splitter({ namesPx, areaPx, onChange }: SplitterProps): JSX.Element {
  const [dragged, setDragged] = useState<{ readonly atPx: number; readonly namesPx: number }>();
  const maxPx = Math.max(NAMES_MIN_PX, Math.round(areaPx * NAMES_MAX_SHARE));
  const set = (px: number): void => onChange(Math.min(maxPx, Math.max(NAMES_MIN_PX, Math.round(px))));
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the names"
      aria-valuenow={Math.round(namesPx)}
      aria-valuemin={Math.min(NAMES_MIN_PX, Math.round(namesPx))}
      aria-valuemax={maxPx}
      style={{ left: `${namesPx}px` }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged({ atPx: event.clientX, namesPx });
      }}
      onPointerMove={(event) => dragged !== undefined && set(dragged.namesPx + event.clientX - dragged.atPx)}
      onPointerUp={() => setDragged(undefined)}
      onPointerCancel={() => setDragged(undefined)}
      onKeyDown={(event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        event.preventDefault();
        event.stopPropagation();
        set(namesPx + (event.key === "ArrowLeft" ? -STEP_PX : STEP_PX));
      }}
    />
  );
}

/** The line above a timeline: search, the counts of entries and rows, zoom, and a button that collapses waits. */
interface TimelineToolsProps {
  readonly body: InvocationBody;
  readonly rows: readonly Row[];
  readonly find: string;
  readonly whole: Span;
  readonly shown: Span;
  readonly isCollapsed: boolean;
}

const ZOOM_IN = 0.5;
const ZOOM_OUT = 2;

function TimelineTools({ body, rows, find, whole, shown, isCollapsed }: TimelineToolsProps): JSX.Element {
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

/** The page shows this many entries of a child. A note below them refers the reader to the child's own page for the rest. */
const ENTRIES_MAX = 2_000;

/**
 * The called invocations whose calls are expanded. The page reads each when its call is first expanded, and again whenever the
 * parent was read again, until the called invocation has ended.
 */
interface Children {
  readonly operations: ReadonlyMap<string, Child>;
  busy(now: number): readonly Span[];
  bodyOf(id: string): InvocationBody | undefined;
}

type Known = Child & { readonly body?: InvocationBody };

/** @param expanded the keys of expanded rows; `5/2` is operation 2 of the invocation that the page's operation 5 calls */
function useChildren(
  parent: InvocationBody,
  expanded: ReadonlySet<string>,
  operations: readonly Operation[],
): Children {
  const [known, setKnown] = useState<ReadonlyMap<string, Known>>(new Map());
  const asking = useRef(new Set<string>());
  const wanted = useMemo(() => wantedIds(expanded, operations, known), [expanded, operations, known]);
  const load = (id: string): void => {
    if (asking.current.has(id)) return;
    asking.current.add(id);
    void read(id).then((child) => {
      asking.current.delete(id);
      setKnown((now) => new Map(now).set(id, child));
    });
  };
  useEffect(() => {
    for (const id of wanted) if (!known.has(id)) load(id);
  }, [wanted]);
  useEffect(() => {
    for (const id of wanted) {
      const child = known.get(id);
      if (child?.kind === "failed" || (child?.body !== undefined && child.body.status !== "completed")) load(id);
    }
  }, [parent]);
  return {
    operations: known,
    busy: (now) => [...wanted].flatMap((id) => (known.get(id)?.body ? busySpans(known.get(id)!.body!, now) : [])),
    bodyOf: (id) => known.get(id)?.body,
  };
}

async function read(id: string): Promise<Known> {
  try {
    const body = await ask<InvocationBody>(`invocations/${encodeURIComponent(id)}?limit=${ENTRIES_MAX}`);
    const { startMs, endMs } = wholeSpan(body, Number.NaN);
    const span = body.completed_at === undefined ? { startMs } : { startMs, endMs };
    return {
      kind: "loaded",
      operations: operationsOf(body),
      isCut: body.entry_count > body.entries.length,
      body,
      span,
    };
  } catch (error) {
    const isGone = error instanceof ApiProblem && error.status === 404;
    const reason = isGone
      ? "The called invocation is no longer kept."
      : `The called invocation cannot be read: ${String(error)}`;
    return { kind: "failed", reason };
  }
}

function wantedIds(
  expanded: ReadonlySet<string>,
  operations: readonly Operation[],
  known: ReadonlyMap<string, Known>,
): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const key of expanded) {
    const id = childOf(key.split("/"), operations, known);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

function childOf(
  path: readonly string[],
  operations: readonly Operation[],
  known: ReadonlyMap<string, Known>,
): string | undefined {
  const id = operations.find(({ key }) => key === path[0])?.childId;
  if (id === undefined || path.length === 1) return id;
  const child = known.get(id);
  return child?.kind === "loaded" ? childOf(path.slice(1), child.operations, known) : undefined;
}

/** Shorter journals are laid out at once. */
const AT_ONCE_MAX_ENTRIES = 1_000;
/** After this time of work, the page may paint and answer keys. */
const WORK_MS = 12;

/** The operations of a timeline; those of a long journal are made in steps, so that the page never blocks. */
interface Operations {
  readonly facts: TimelineFacts;
  readonly operations: readonly Operation[];
}

/**
 * Undefined until the operations of a long journal are computed for the first time. While they are computed again, the
 * hook returns the former ones.
 */
function useOperations(facts: TimelineFacts): Operations | undefined {
  const isShort = facts.entries.length <= AT_ONCE_MAX_ENTRIES;
  const atOnce = useMemo(() => (isShort ? { facts, operations: operationsOf(facts) } : undefined), [facts]);
  const [inSteps, setInSteps] = useState<Operations>();
  useEffect(() => {
    if (isShort) return;
    let isOver = false;
    const steps = operationSteps(facts);
    const work = (): void => {
      if (isOver) return;
      for (const untilMs = performance.now() + WORK_MS; performance.now() < untilMs;) {
        const step = steps.next();
        if (step.done === true) return setInSteps({ facts, operations: step.value });
      }
      setTimeout(work);
    };
    setTimeout(work);
    return () => {
      isOver = true;
    };
  }, [facts]);
  return atOnce ?? inSteps;
}
