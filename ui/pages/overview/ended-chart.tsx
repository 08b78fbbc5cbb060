/**
 * Sixty bars, one for each minute of the last hour: the ended invocations, and at the bottom the failed ones. A table has the
 * numbers too.
 */
import type { JSX } from "preact";
import type { EndedMinuteBody } from "../../../shared/api/contract/overview.ts";
import { isUtc } from "../../data/preferences.ts";
import { type Bar, barsOf, sumOf } from "../../model/ended-bars.ts";
import { countText } from "../../model/size-text.ts";
import { momentOf, momentText } from "../../model/time-text.ts";

const HEIGHT = 120;
const STEP = 10;
const WIDTH = 8;

export function EndedChart({ minutes }: { readonly minutes: readonly EndedMinuteBody[] }): JSX.Element {
  const { bars, top } = barsOf(minutes);
  const sum = sumOf(minutes);
  const ended = sum.succeeded + sum.failed + sum.cancelled + sum.killed;
  return (
    <figure class="ended-chart" aria-labelledby="chart-title">
      <figcaption id="chart-title">
        <span class="chart-key">
          <span class="swatch ended" aria-hidden="true" /> ended
        </span>
        <span class="chart-key">
          <span class="swatch failed" aria-hidden="true" /> failed
        </span>
        <span class="dim">each minute of the last hour</span>
      </figcaption>
      <div class="chart-field">
        <span class="chart-top number dim">{countText(top)}</span>
        <svg
          role="img"
          aria-label={`In the last hour ${countText(ended)} ended, of which ${countText(sum.failed)} failed.`}
          viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          <defs>
            <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect class="hatch-ground" width="4" height="4" />
              <rect class="hatch-line" width="1.5" height="4" />
            </pattern>
          </defs>
          {bars.map((bar, at) => (
            <BarMark key={bar.at} bar={bar} x={at * STEP} />
          ))}
        </svg>
      </div>
      <div class="chart-axis number dim" aria-hidden="true">
        <span>{clockText(bars[0]?.at)}</span>
        <span>{clockText(bars[30]?.at)}</span>
        <span>now</span>
      </div>
      <details>
        <summary>As a table</summary>
        <ChartTable bars={bars} />
      </details>
    </figure>
  );
}

function BarMark({ bar, x }: { readonly bar: Bar; readonly x: number }): JSX.Element {
  const { at, ended, failed, endedHeight, failedHeight } = bar;
  return (
    <g class="bar">
      <title>{`${clockText(at)}: ${countText(ended)} ended, ${countText(failed)} failed`}</title>
      <rect class="bar-hit" x={x} y={0} width={STEP} height={HEIGHT} />
      <rect class="bar-ended" x={x + 1} y={HEIGHT * (1 - endedHeight)} width={WIDTH} height={HEIGHT * endedHeight} />
      <rect
        class="bar-failed"
        fill="url(#hatch)"
        x={x + 1}
        y={HEIGHT * (1 - failedHeight)}
        width={WIDTH}
        height={HEIGHT * failedHeight}
      />
    </g>
  );
}

function ChartTable({ bars }: { readonly bars: readonly Bar[] }): JSX.Element {
  const busy = bars.filter(({ ended }) => ended > 0).toReversed();
  if (busy.length === 0) return <p class="dim">Nothing ended in the last hour.</p>;
  return (
    <table class="plain chart-table">
      <thead>
        <tr>
          <th scope="col">Minute</th>
          <th scope="col" class="right">
            Ended
          </th>
          <th scope="col" class="right">
            Failed
          </th>
        </tr>
      </thead>
      <tbody>
        {busy.map(({ at, ended, failed }) => (
          <tr key={at}>
            <td class="number">{clockText(at)}</td>
            <td class="number right">{countText(ended)}</td>
            <td class="number right">{countText(failed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `14:03`, in the reader's zone. */
function clockText(at: string | undefined): string {
  const ms = momentOf(at);
  return ms === undefined ? "" : momentText(ms, ms, isUtc.value).slice(6, 11);
}
