/**
 * The axis of a timeline: ticks with the time since the creation of the invocation, and labels with the durations of collapsed
 * waits. Behind the rows are a line for each tick and a band for each collapsed wait.
 */
import type { JSX } from "preact";
import { gapsOf } from "../../model/timeline/scale.ts";
import type { TimeScale } from "../../model/timeline/scale.ts";
import { ticksOf } from "../../model/timeline/ticks.ts";
import { durationText } from "../../model/time-text.ts";
import { exactText } from "../../parts/moment.tsx";

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
