/** The status or the outcome of an invocation as glyph and word. */
import type { JSX } from "preact";
import { lookOf } from "../model/status-look.ts";

export interface StatusMarkProps {
  readonly status: string;
  readonly outcome?: string | undefined;
  /** Shows the word only in the tooltip. */
  readonly glyphOnly?: boolean;
}

export function StatusMark({ status, outcome, glyphOnly = false }: StatusMarkProps): JSX.Element {
  const { word, glyph, tone } = lookOf(status, outcome);
  if (glyphOnly) {
    return (
      <span class={`status tone-${tone}`} role="img" aria-label={word} title={word}>
        {glyph}
      </span>
    );
  }
  return (
    <span class={`status tone-${tone}`}>
      <span class="glyph" aria-hidden="true">
        {glyph}
      </span>
      {word}
    </span>
  );
}
