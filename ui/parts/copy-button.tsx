/** A button that copies a text, and for a moment shows as its label whether the copy succeeded. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";

const SAID_FOR_MS = 1_500;

export interface CopyButtonProps {
  /** The text, or a function that reads it at the click. An error of the function is shown in place of the copy. */
  readonly text: CopiedText;
  /** A name for the text: "id", "command". */
  readonly what: string;
}

export type CopiedText = string | (() => Promise<string>);

export function CopyButton({ text, what }: CopyButtonProps): JSX.Element {
  const [said, setSaid] = useState<string>();
  const copy = async (): Promise<void> => {
    setSaid(await copyText(text));
    setTimeout(() => setSaid(undefined), SAID_FOR_MS);
  };
  return (
    <>
      <button type="button" class="quiet copy" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        copy
      </button>
      <span class="copy-said dim" role="status">
        {said}
      </span>
    </>
  );
}

/** Browsers offer the clipboard only on secure origins and on localhost. @returns what to tell the reader */
export async function copyText(text: CopiedText): Promise<string> {
  try {
    const copied = typeof text === "string" ? text : await text();
    await navigator.clipboard.writeText(copied);
    return "copied";
  } catch (error) {
    return error instanceof DOMException ? "the browser refused" : (error as Error).message;
  }
}
