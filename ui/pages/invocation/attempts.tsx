/** The attempts of an invocation: a strip on the scale of the timeline, and a list with their moments. */
import type { JSX } from "preact";
import {
  attemptMarks,
  countOf,
  numberText,
  outcomeText,
  type AttemptFacts,
  type AttemptMark,
} from "../../model/timeline/attempts.ts";
import { toPx, type TimeScale } from "../../model/timeline/scale.ts";
import { countText } from "../../model/size-text.ts";
import { durationText } from "../../model/time-text.ts";
import { visibleLine } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { exactText } from "../../parts/moment.tsx";
import { TableHead } from "../../parts/table-head.tsx";

const MIN_PX = 3;
const LISTED_MAX = 200;

interface StripProps {
  readonly marks: readonly AttemptMark[];
  readonly scale: TimeScale;
  readonly namesPx: number;
  readonly now: number;
}

/** Attempts with a stored beginning and end are bars; those without are in the list alone, because no place on the scale is theirs. */
export function AttemptStrip({ marks, scale, namesPx, now }: StripProps): JSX.Element {
  return (
    <div class="attempt-strip">
      <div class="axis-names dim" style={{ width: `${namesPx}px` }}>
        attempts
      </div>
      <div class="attempt-bars" aria-hidden="true">
        {marks.map((mark, at) => (
          <Bar key={at} mark={mark} scale={scale} now={now} />
        ))}
      </div>
    </div>
  );
}

function Bar({
  mark,
  scale,
  now,
}: { readonly mark: AttemptMark } & Pick<StripProps, "scale" | "now">): JSX.Element | null {
  const { kind, startMs, endMs = kind === "running" ? now : undefined } = mark;
  if (endMs === undefined) return null;
  const fromMs = startMs ?? endMs;
  if (fromMs > scale.toMs || endMs < scale.fromMs) return null;
  const fromPx = toPx(scale, fromMs);
  return (
    <span
      class={`attempt-bar ${kind}${startMs === undefined ? " open-start" : ""}`}
      style={{ left: `${fromPx}px`, width: `${Math.max(MIN_PX, toPx(scale, endMs) - fromPx)}px` }}
      title={visibleLine(`attempt ${numberText(mark)}: ${outcomeText(mark)}`)}
    />
  );
}

export function AttemptList({ facts }: { readonly facts: AttemptFacts }): JSX.Element | null {
  const marks = attemptMarks(facts);
  if (marks.length === 0) return null;
  const shown = marks.slice(-LISTED_MAX);
  const hidden = marks.length - shown.length;
  return (
    <details class="attempts">
      <summary>
        {facts.attempts === 1 ? "1 attempt" : `${countText(facts.attempts)} attempts`}
        <span class="dim">, with what is stored of each</span>
      </summary>
      {hidden > 0 && <p class="dim">The first {countText(hidden)} rows are left out.</p>}
      <div class="scrolls" role="group" aria-label="Attempts" tabIndex={0}>
        <table class="plain">
          <TableHead
            columns={[
              { words: "Attempt", class: "right" },
              "Began",
              "Ended",
              { words: "Took", class: "right" },
              "Outcome",
            ]}
          />
          <tbody>
            {shown.map((mark, at) => (
              <AttemptRow key={at} mark={mark} />
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function AttemptRow({ mark }: { readonly mark: AttemptMark }): JSX.Element {
  const { kind, startMs, endMs } = mark;
  const count = countOf(mark);
  return (
    <tr>
      <td class="right number nowrap">{numberText(mark)}</td>
      <td class="number nowrap">{momentOrUnknown(startMs)}</td>
      <td class="number nowrap">
        {kind === "running" ? (
          <span class="dim">not yet</span>
        ) : kind === "stored" ? (
          <>≥ {momentOrUnknown(endMs)}</>
        ) : (
          momentOrUnknown(endMs)
        )}
      </td>
      <td class="right number nowrap">
        {startMs === undefined || endMs === undefined
          ? ""
          : `${kind === "stored" ? "≥ " : ""}${durationText(endMs - startMs)}`}
      </td>
      <td class={kind === "failed" || kind === "repeated" ? "tone-failed" : undefined}>
        {count !== undefined && count > 1 && <span class="number">{countText(count)} × </span>}
        <ForeignText text={outcomeText(mark)} maxChars={260} />
      </td>
    </tr>
  );
}

function momentOrUnknown(ms: number | undefined): JSX.Element {
  return ms === undefined ? <span class="dim">unknown</span> : <>{exactText(ms)}</>;
}
