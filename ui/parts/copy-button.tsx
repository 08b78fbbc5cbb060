/** A button that copies a text, and for a moment shows as its label whether the copy succeeded. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";

const SAID_FOR_MS = 1_500;

export interface CopyButtonProps {
  readonly text: string;
  /** A name for the text: "id", "command". */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps): JSX.Element {
  const [said, setSaid] = useState<string>();
  const copy = async (): Promise<void> => {
    const isDone = await copyText(text);
    setSaid(isDone ? "copied" : "the browser refused");
    setTimeout(() => setSaid(undefined), SAID_FOR_MS);
  };
  return (
    <button type="button" class="quiet copy" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      {said ?? "copy"}
    </button>
  );
}

/** Browsers offer the clipboard only on secure origins and on localhost. @returns whether the text was copied */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
