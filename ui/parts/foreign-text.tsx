/** Shows untrusted text as a text node, with its own direction of writing and with escapes for invisible characters. */
import type { JSX } from "preact";
import { shortened, visibleLine } from "../model/visible-text.ts";

export interface ForeignTextProps {
  readonly text: string;
  /** Leaves out the middle of a longer text; the tooltip has the whole text. */
  readonly maxChars?: number;
  readonly class?: string;
}

/** In the tooltip, a text longer than this is shortened too, because the whole text could fill the screen. */
const TITLE_MAX_CHARS = 1_000;

export function ForeignText({ text, maxChars, class: className }: ForeignTextProps): JSX.Element {
  const line = visibleLine(maxChars === undefined ? text : shortened(text, maxChars));
  const isCut = maxChars !== undefined && line !== visibleLine(text.slice(0, TITLE_MAX_CHARS));
  return (
    <bdi class={className} title={isCut ? shortened(visibleLine(text), TITLE_MAX_CHARS) : undefined}>
      {line === "" ? <span class="dim">(empty)</span> : line}
    </bdi>
  );
}
