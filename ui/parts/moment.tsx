/** Two ways to show a moment: `Age` shows its age, with the exact moment in the tooltip; `Exact` shows the exact moment. */
import type { JSX } from "preact";
import { ageText, momentOf, momentText, zoneText } from "../model/time-text.ts";
import { nowMs, peekNowMs } from "../data/clock.ts";
import { isUtc } from "../data/preferences.ts";

export interface MomentProps {
  /** RFC 3339, as the API writes it. */
  readonly at: string | undefined;
}

export function Age({ at }: MomentProps): JSX.Element | null {
  const ms = momentOf(at);
  if (ms === undefined) return null;
  return (
    <time dateTime={at} title={exactText(ms)} class="number">
      {ageText(ms, nowMs())}
    </time>
  );
}

export function Exact({ at }: MomentProps): JSX.Element | null {
  const ms = momentOf(at);
  if (ms === undefined) return null;
  return (
    <time dateTime={at} title={zoneText(ms, isUtc.value)} class="number">
      {momentText(ms, peekNowMs(), isUtc.value)}
    </time>
  );
}

/** The exact moment with its zone, for tooltips. */
export function exactText(ms: number): string {
  return `${momentText(ms, peekNowMs(), isUtc.value)} ${zoneText(ms, isUtc.value)}`;
}
