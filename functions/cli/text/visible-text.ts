/** Makes untrusted text safe for a terminal: handlers choose the texts of failures, keys and values. */

const ESCAPE = "\u001b";
const REPLACEMENT = "\ufffd";

/**
 * Characters that act on the text beside them or show nothing: controls, the format characters (which reorder, join or hide text, tags
 * among them), and the two separators that some programs take for the end of a line. Not the joiner and the variation selectors of emoji.
 */
const ACTING = /[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200d)\p{Cf}/gu;

/** Replaces acting characters in untrusted text, so that it cannot colour, reorder or hide the output beside it. */
export function foreignText(text: string): string {
  return text.replaceAll(ACTING, (found) => (found === "\n" ? found : REPLACEMENT));
}

/** Escapes acting characters in JSON, so that they do not act on a terminal. The value stays the same. */
export function foreignJson(json: string): string {
  return json.replaceAll(ACTING, (found) => {
    if (found === "\n") return found;
    // JSON escapes these two characters inside strings, so here they always stand between tokens.
    if (found === "\r" || found === "\t") return " ";
    // A character beyond 16 bits has two escapes.
    return Array.from({ length: found.length }, (_, at) => escapeOf(found.charCodeAt(at))).join("");
  });
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** Puts untrusted text on one line, so that no part of it looks like a line that the command itself prints. */
export function foreignLine(text: string): string {
  return foreignText(text).replaceAll("\n", " ");
}

/** Keeps colours and line ends; every other acting character is replaced. */
export function visibleText(text: string): string {
  return text.replaceAll(
    /(?:[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200d)\p{Cf})(\[\d{1,3}m)?/gu,
    (found, colour: string | undefined) => {
      if (colour !== undefined && found.startsWith(ESCAPE)) return found;
      return found.startsWith("\n") ? found : `${REPLACEMENT}${colour ?? ""}`;
    },
  );
}

/** The largest number of characters of a target in a table, because keys may be long. */
export const TARGET_MAX = 40;

/** The first line of an untrusted text, cut to `max` characters. */
export function cutLine(text: string, max: number): string {
  const [line = ""] = foreignText(text).split("\n");
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}
