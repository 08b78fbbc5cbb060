/** The whole time of an invocation in one strip, on which a brush chooses the shown range. */
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { densityRuns } from "../../model/timeline/activity.ts";
import type { Operation } from "../../model/timeline/operation.ts";
import type { Span } from "../../model/timeline/scale.ts";
import { timeScale, toMs, toPx } from "../../model/timeline/scale.ts";
import { exactText } from "../../parts/moment.tsx";
import { show } from "./use-timeline-keys.ts";

export interface MinimapProps {
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
