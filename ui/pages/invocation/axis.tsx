/**
 * The axis of a timeline: ticks with the time since the creation of the invocation, and labels with the durations of collapsed
 * waits. Behind the rows are a line for each tick and a band for each collapsed wait.
 */
import type { JSX } from "preact";
import { gapsOf, timeScale, toMs, toPx, ticksOf, type TimeScale, type Span } from "../../model/timeline/scale.ts";
import { durationText } from "../../model/time-text.ts";
import { exactText } from "../../parts/moment.tsx";
import { useMemo, useRef, useState } from "preact/hooks";
import { densityRuns } from "../../model/timeline/activity.ts";
import type { Operation } from "../../model/timeline/operation.ts";
import { show } from "./use-timeline-keys.ts";

export interface AxisProps {
  readonly scale: TimeScale;
  readonly namesPx: number;
  readonly originMs: number;
  /** The height of all rows. */
  readonly rowsPx: number;
}

/** Within this distance of the right edge, the text of a tick is at the left of the tick, because it has no room at the right. */
const EDGE_PX = 56;
/** The space between the names and the first moment. */
const LEFT_PX = 16;
const NARROW_SPACE = "\u202f";

export function Axis({ scale, namesPx, originMs, rowsPx }: AxisProps): JSX.Element {
  const ticks = ticksOf(scale, originMs);
  const gaps = gapsOf(scale);
  return (
    <>
      <div class="axis">
        <div class="axis-names dim" style={{ width: `${namesPx}px` }}>
          operation
        </div>
        <div class="axis-times">
          {ticks.map(({ atMs, px, text }) => (
            <time
              key={atMs}
              class={`tick number${px > scale.widthPx - EDGE_PX ? " at-edge" : ""}`}
              dateTime={new Date(atMs).toISOString()}
              title={exactText(atMs)}
              style={{ left: `${px}px` }}
            >
              {isCovered(px, scale) ? "" : text}
            </time>
          ))}
          {gaps.map(({ fromMs, toMs, fromPx, toPx }) => (
            <span
              key={fromMs}
              class="gap-label number"
              title={`only waits pass from ${exactText(fromMs)} to ${exactText(toMs)}`}
              style={{ left: `${(fromPx + toPx) / 2}px`, minWidth: `${toPx - fromPx}px` }}
            >
              {durationText(toMs - fromMs).replaceAll(" ", NARROW_SPACE)}
            </span>
          ))}
        </div>
      </div>
      <div class="grid-lines" aria-hidden="true" style={{ left: `${namesPx + LEFT_PX}px`, height: `${rowsPx}px` }}>
        {ticks.map(({ atMs, px }) => (
          <span key={atMs} class="tick-line" style={{ left: `${px}px` }} />
        ))}
        {gaps.map(({ fromMs, fromPx, toPx }) => (
          <span key={fromMs} class="gap-band" style={{ left: `${fromPx}px`, width: `${toPx - fromPx}px` }} />
        ))}
      </div>
    </>
  );
}

/** True if the text of a tick would lie under the label of a collapsed wait. */
function isCovered(px: number, scale: TimeScale): boolean {
  const [fromPx, toPx] = px > scale.widthPx - EDGE_PX ? [px - EDGE_PX, px] : [px, px + EDGE_PX];
  return gapsOf(scale).some((gap) => gap.fromPx < toPx - 8 && gap.toPx > fromPx + 8);
}

/** The whole time of an invocation in one strip, on which a brush chooses the shown range. */
interface MinimapProps {
  readonly operations: readonly Operation[];
  readonly busy: readonly Span[];
  readonly whole: Span;
  readonly shown: Span;
  readonly isCollapsed: boolean;
  readonly widthPx: number;
  readonly now: number;
}

/** A shorter drag counts as a click, and a click shows the whole time. */
const DRAG_MIN_PX = 4;
const HEIGHT_PX = 40;
const HEIGHTS: Readonly<Record<string, number>> = { idle: 0, waiting: 6, active: 22, failed: 34 };

export function Minimap({ operations, busy, whole, shown, isCollapsed, widthPx, now }: MinimapProps): JSX.Element {
  const scale = useMemo(
    () => timeScale(whole, widthPx, isCollapsed ? busy : undefined),
    [whole.startMs, whole.endMs, widthPx, isCollapsed, busy],
  );
  const runs = useMemo(() => densityRuns(operations, busy, scale, now), [operations, busy, scale]);
  const [drag, setDrag] = useState<{ readonly fromPx: number; readonly toPx: number }>();
  const strip = useRef<HTMLDivElement>(null);
  const px = (event: PointerEvent): number =>
    Math.min(widthPx, Math.max(0, event.clientX - (strip.current?.getBoundingClientRect().left ?? 0)));
  const finish = (): void => {
    if (drag === undefined) return;
    const [from, to] = [Math.min(drag.fromPx, drag.toPx), Math.max(drag.fromPx, drag.toPx)];
    show(to - from < DRAG_MIN_PX ? whole : { startMs: toMs(scale, from), endMs: toMs(scale, to) }, whole);
    setDrag(undefined);
  };
  const fromPx = drag === undefined ? toPx(scale, shown.startMs) : Math.min(drag.fromPx, drag.toPx);
  const untilPx = drag === undefined ? toPx(scale, shown.endMs) : Math.max(drag.fromPx, drag.toPx);
  return (
    <div
      ref={strip}
      class="minimap"
      role="img"
      aria-label={`Shown: ${exactText(shown.startMs)} to ${exactText(shown.endMs)}. Drag to choose a range, or press + and -.`}
      onPointerDown={(event) => {
        strip.current?.setPointerCapture(event.pointerId);
        setDrag({ fromPx: px(event), toPx: px(event) });
      }}
      onPointerMove={(event) => drag !== undefined && setDrag({ fromPx: drag.fromPx, toPx: px(event) })}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(undefined)}
    >
      <svg width={widthPx} height={HEIGHT_PX} aria-hidden="true">
        {runs.map(({ density, fromPx: x, widthPx: width }) => (
          <rect
            key={x}
            class={`density-${density}`}
            x={x}
            width={width}
            y={HEIGHT_PX - HEIGHTS[density]!}
            height={HEIGHTS[density]!}
          />
        ))}
      </svg>
      <span class="veil" style={{ left: 0, width: `${fromPx}px` }} />
      <span class="veil" style={{ left: `${untilPx}px`, width: `${Math.max(0, widthPx - untilPx)}px` }} />
      {(drag !== undefined || fromPx > 0 || untilPx < widthPx) && (
        <span class="brush" style={{ left: `${fromPx}px`, width: `${Math.max(2, untilPx - fromPx)}px` }} />
      )}
    </div>
  );
}
