/** One row of a timeline: index, kind, name and duration at the left, the bar at the right. */
import type { ComponentChildren, JSX } from "preact";
import { piecesOf, type Piece } from "../../model/timeline/bars.ts";
import { failedCount, isPoint, lookOfKind, tookText, type Operation } from "../../model/timeline/operation.ts";
import type { Row } from "../../model/timeline/rows.ts";
import type { TimeScale } from "../../model/timeline/scale.ts";
import { countText } from "../../model/size-text.ts";
import { durationText } from "../../model/time-text.ts";
import { visibleLine } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";

export interface TimelineRowProps {
  readonly row: Row;
  readonly scale: TimeScale;
  readonly namesPx: number;
  readonly now: number;
  readonly isChosen: boolean;
  readonly onChoose: (row: Row) => void;
  readonly onToggle: (row: Row) => void;
}

const INDENT_PX = 14;
/** The width of the index, the glyph and the duration beside the name. */
const BESIDE_NAME_PX = 150;
/** Below this width, the duration is left out. */
const NARROW_PX = 240;
const BESIDE_NARROW_PX = 84;
const CHAR_PX = 7;
const NAME_MIN_CHARS = 8;
/** A name may have 64 KB. */

export function TimelineRow(props: TimelineRowProps): JSX.Element {
  const { row } = props;
  if (row.kind === "note") {
    return (
      <div role="listitem" class="timeline-row note" style={{ paddingLeft: `${64 + row.depth * INDENT_PX}px` }}>
        <ForeignText text={row.text} class="dim" />
      </div>
    );
  }
  return row.kind === "group" ? <GroupRow {...props} row={row} /> : <OperationRow {...props} row={row} />;
}

type OperationRowProps = TimelineRowProps & { readonly row: Extract<Row, { kind: "operation" }> };

function OperationRow(props: OperationRowProps): JSX.Element {
  const { row, scale, now } = props;
  const { operation } = row;
  const { glyph, word } = lookOfKind(operation.kind);
  const tries = failedCount(operation);
  return (
    <Frame
      {...props}
      index={operation.entries.length === 0 ? "" : operation.key}
      glyph={glyph}
      word={word}
      isExpanded={row.isExpanded}
      name={operation.label}
      duration={isPoint(operation) ? "" : tookText(operation, now)}
      failedCount={tries > 1 ? String(tries) : ""}
      failedText={tries === 0 ? "" : tries === 1 ? "1 failed attempt" : `${tries} failed attempts`}
      state={stateText(operation)}
    >
      <Bar operation={operation} scale={scale} now={now} />
    </Frame>
  );
}

type GroupRowProps = TimelineRowProps & { readonly row: Extract<Row, { kind: "group" }> };

function GroupRow(props: GroupRowProps): JSX.Element {
  const { row, scale, now } = props;
  const [first, last] = [row.operations[0]!, row.operations.at(-1)!];
  const endMs = row.operations.some((one) => one.endMs === undefined) ? now : Math.max(last.endMs!, first.endMs!);
  const { glyph, word } = lookOfKind(first.kind);
  return (
    <Frame
      {...props}
      index={first.key}
      glyph={glyph}
      word={`group of ${word}`}
      isExpanded={row.isExpanded}
      name={first.label}
      count={`× ${countText(row.operations.length)}`}
      duration={durationText(Math.max(0, endMs - first.startMs))}
      failedCount={row.failed === 0 ? "" : ` ${countText(row.failed)} failed`}
      failedText={row.failed === 0 ? "" : `${countText(row.failed)} failed`}
      state=""
    >
      {row.isExpanded || <GroupBars operations={row.operations} scale={scale} now={now} />}
    </Frame>
  );
}

interface FrameProps extends TimelineRowProps {
  readonly index: string;
  readonly glyph: string;
  /** The kind in words. */
  readonly word: string;
  readonly name: string;
  readonly count?: string;
  readonly isExpanded?: boolean | undefined;
  readonly duration: string;
  /**
   * The text after the cross: the count of an operation's failed attempts, if there are several, or of a group's operations
   * with failures. `failedText` says the same in words, for the tooltip and the label.
   */
  readonly failedCount: string;
  readonly failedText: string;
  readonly state: string;
  readonly children: ComponentChildren;
}

function Frame(props: FrameProps): JSX.Element {
  const {
    row,
    namesPx,
    isChosen,
    onChoose,
    onToggle,
    index,
    glyph,
    word,
    name,
    count,
    isExpanded,
    duration,
    failedText,
    failedCount,
  } = props;
  const isNarrow = namesPx < NARROW_PX;
  const nameChars = Math.max(
    NAME_MIN_CHARS,
    Math.floor((namesPx - (isNarrow ? BESIDE_NARROW_PX : BESIDE_NAME_PX) - row.depth * INDENT_PX) / CHAR_PX),
  );
  const facts = [duration, props.state, failedText].filter((part) => part !== "");
  return (
    <div role="listitem" class={`timeline-row${isChosen ? " chosen" : ""}`}>
      <div class="names" style={{ width: `${namesPx}px`, paddingLeft: `${row.depth * INDENT_PX}px` }}>
        <span class="index number dim">{index}</span>
        {isExpanded === undefined ? (
          <span class="expander" />
        ) : (
          <button
            type="button"
            class="expander"
            aria-expanded={isExpanded}
            aria-label={isExpanded ? "Collapse" : "Expand"}
            onClick={() => onToggle(row)}
          >
            {isExpanded ? "▾" : "▸"}
          </button>
        )}
        <span class="glyph dim" title={word} aria-hidden="true">
          {glyph}
        </span>
        <button type="button" class="name" aria-current={isChosen ? "true" : undefined} onClick={() => onChoose(row)}>
          {/* The spoken name has the visible words, and the others around them. */}
          <span class="visually-hidden">
            {index === "" ? "" : `entry ${index}, `}
            {word}{" "}
          </span>
          <ForeignText text={name} maxChars={nameChars} />
          {count !== undefined && <span class="number"> {count}</span>}
          {failedText !== "" && (
            <span class="tone-failed number" title={failedText}>
              {" "}
              ✕{failedCount}
            </span>
          )}
          <span class="visually-hidden">{facts.map((fact) => `, ${fact}`).join("")}</span>
        </button>
        {!isNarrow && <span class="duration number dim">{duration}</span>}
      </div>
      <div class="bars" onClick={() => onChoose(row)}>
        {props.children}
      </div>
    </div>
  );
}

interface BarProps {
  readonly operation: Operation;
  readonly scale: TimeScale;
  readonly now: number;
}

function Bar({ operation, scale, now }: BarProps): JSX.Element {
  return (
    <span class={`bar outcome-${operation.outcome}`}>
      {piecesOf(operation, scale, now).map((piece, at) => (
        <span
          key={at}
          class={`piece ${piece.shape}${piece.isOpen === true ? " open" : ""}`}
          style={{ left: `${piece.fromPx}px`, width: `${piece.widthPx}px` }}
          title={pieceTitle(operation, piece)}
        />
      ))}
    </span>
  );
}

/**
 * A collapsed group shows the bars of at most this many members, at equal steps through the list, and over them the bars of at
 * most as many failed members.
 */
const GROUP_BARS = 200;

function GroupBars({
  operations,
  scale,
  now,
}: {
  readonly operations: readonly Operation[];
  readonly scale: TimeScale;
  readonly now: number;
}): JSX.Element {
  const step = Math.max(1, Math.ceil(operations.length / GROUP_BARS));
  const failed = operations
    .filter(({ outcome, tries }) => outcome === "failed" || tries.length > 0)
    .slice(0, GROUP_BARS);
  const shown = [...operations.filter((_, at) => at % step === 0), ...failed];
  return (
    <>
      {shown.map((operation, at) => (
        <Bar key={at} operation={operation} scale={scale} now={now} />
      ))}
    </>
  );
}

function stateText({ outcome, wakeAtMs, endMs }: Operation): string {
  return endMs === undefined && wakeAtMs !== undefined ? `${outcome}, until its time` : outcome;
}

function pieceTitle(operation: Operation, { shape, failed, isOpen }: Piece): string {
  if (failed !== undefined) {
    const { error_code: code, message } = failed.failure;
    const what =
      shape === "repeated"
        ? `${countText(failed.times - 2)} further failed attempts`
        : failed.times > 1
          ? `${countText(failed.times)} attempts failed in this way`
          : "failed attempt";
    return visibleLine(`${what}: ${code} ${message.slice(0, 200)}`);
  }
  if (shape === "unknown")
    return operation.clocksDiffer === true
      ? "how long it took is unknown: the clocks of two servers differ"
      : "ran in an attempt whose end is not stored, or waited for the next one";
  if (shape === "back-off") return "waits for the next attempt";
  if (shape === "bound") return `${operation.outcome}, ran within this time`;
  return isOpen === true ? `${operation.outcome}, goes on` : operation.outcome;
}
