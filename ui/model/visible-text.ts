/** Makes foreign text fit to be shown: characters that are invisible or change the direction of writing become escapes. */

/** Controls, zero-width characters, the controls of bidirectional writing, and separators that break a line. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const MARK = "…";
const OPTION_MAX_CHARS = 60;

export function visibleText(text: string): string {
  return text.replace(UNSEEN, (char) =>
    char === "\n" || char === "\t" ? char : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
}

/** One line: line breaks and tabs become escapes too. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Leaves out the middle and keeps the end, because the ids of the invocations of one key have the same beginning. */
export function shortened(text: string, maxChars: number): string {
  const chars = text.length > 4 * maxChars ? [...text.slice(0, 2 * maxChars), ...text.slice(-2 * maxChars)] : [...text];
  if (chars.length <= maxChars) return text;
  const tail = Math.floor((maxChars - 1) / 2);
  return `${chars.slice(0, maxChars - 1 - tail).join("")}${MARK}${tail === 0 ? "" : chars.slice(-tail).join("")}`;
}

/** A name as the text of an `<option>` of HTML, which can contain no `<bdi>` element to isolate the direction of the text. */
export function optionText(name: string): string {
  return shortened(visibleLine(name), OPTION_MAX_CHARS);
}

interface FoldedText {
  readonly shown: string;
  /** 0 if the whole text is shown. */
  readonly hiddenChars: number;
}

const LINES = 6;
const CHARS = 600;
/** To fold less than this would save no room. */
const SPARED_MIN = 120;

/** The beginning of a long text: a few lines, which tell mostly enough. */
export function foldedText(text: string): FoldedText {
  const lines = text.slice(0, CHARS).split("\n", LINES + 1);
  const shown = lines.slice(0, LINES).join("\n").trimEnd();
  const hiddenChars = text.length - shown.length;
  if (hiddenChars < SPARED_MIN && text.split("\n", LINES + 2).length <= LINES + 1)
    return { shown: text, hiddenChars: 0 };
  return { shown: `${shown} …`, hiddenChars };
}
