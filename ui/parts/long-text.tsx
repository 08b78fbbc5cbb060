/** A long text of others, folded to its beginning until the reader asks for all of it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { foldedText, visibleText } from "../model/visible-text.ts";
import { countText } from "../model/size-text.ts";

export function LongText({ text }: { readonly text: string }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const { shown, hiddenChars } = foldedText(text);
  return (
    <div class="message">
      <bdi>{visibleText(isWhole ? text : shown)}</bdi>
      {hiddenChars > 0 && (
        <div>
          <button type="button" class="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? "show the beginning alone" : `show all ${countText(text.length)} characters`}
          </button>
        </div>
      )}
    </div>
  );
}
