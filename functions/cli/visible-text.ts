/** Text of strangers as a terminal may be given it: handlers choose the words of failures, keys and values. */

const ESCAPE = "\u001b";
const REPLACEMENT = "\ufffd";

/** Escapes text from untrusted sources, so that it cannot color or hide the output beside it. */
export function foreignText(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (found) => (found === "\n" ? found : REPLACEMENT));
}

/** Colours and line ends pass; every other control character could move the cursor, or worse, and is replaced. */
export function visibleText(text: string): string {
  return text.replaceAll(/\p{Cc}(\[\d{1,3}m)?/gu, (found, colour: string | undefined) => {
    if (colour !== undefined && found.startsWith(ESCAPE)) return found;
    return found.startsWith("\n") ? found : `${REPLACEMENT}${colour ?? ""}`;
  });
}
