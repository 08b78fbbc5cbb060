/** The beginning of a long text: a few lines, which tell mostly enough. */

export interface FoldedText {
  readonly shown: string;
  /** 0 if the whole text is shown. */
  readonly hiddenChars: number;
}

const LINES = 6;
const CHARS = 600;
/** To fold less than this would save no room. */
const SPARED_MIN = 120;

export function foldedText(text: string): FoldedText {
  const lines = text.slice(0, CHARS).split("\n", LINES + 1);
  const shown = lines.slice(0, LINES).join("\n").trimEnd();
  const hiddenChars = text.length - shown.length;
  if (hiddenChars < SPARED_MIN && text.split("\n", LINES + 2).length <= LINES + 1)
    return { shown: text, hiddenChars: 0 };
  return { shown: `${shown} …`, hiddenChars };
}
