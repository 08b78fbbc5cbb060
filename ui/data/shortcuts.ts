/** Keys that do something on the present page. */
import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import { hasKeys } from "./preferences.ts";

export interface Shortcut {
  /** One key, or two that are pressed one after the other: `j`, `Enter`, `g i`. */
  readonly keys: string;
  readonly words: string;
  readonly run: (event: KeyboardEvent) => void;
}

/** The shortcuts of all mounted components, for the sheet that lists them. */
export const activeShortcuts = signal<readonly Shortcut[]>([]);

/** The second of two keys has to follow within this time. */
const SECOND_WITHIN_MS = 1_000;
let first: { readonly key: string; readonly atMs: number } | undefined;

/** Makes the keys work while the component is mounted. @param shortcuts must stay the same array as long as nothing changes */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    activeShortcuts.value = [...activeShortcuts.peek(), ...shortcuts];
    return () => {
      activeShortcuts.value = activeShortcuts.peek().filter((one) => !shortcuts.includes(one));
    };
  }, [shortcuts]);
}

addEventListener("keydown", (event) => {
  if (!hasKeys.peek() || event.ctrlKey || event.metaKey || event.altKey || isWriting(event) || isPressing(event))
    return;
  const isSecond = first !== undefined && event.timeStamp - first.atMs < SECOND_WITHIN_MS;
  const pressed = isSecond ? `${first!.key} ${event.key}` : event.key;
  // The component that was mounted last is in front, so its keys take precedence.
  const found = activeShortcuts.peek().findLast(({ keys }) => keys === pressed);
  const isBeginning = activeShortcuts.peek().some(({ keys }) => keys.startsWith(`${event.key} `));
  first = found === undefined && isBeginning ? { key: event.key, atMs: event.timeStamp } : undefined;
  if (found === undefined) return;
  event.preventDefault();
  found.run(event);
});

/** True if a field, an open dialog or the editor handles the key itself. */
function isWriting({ target }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]") !== null) return true;
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], .editor") !== null
  );
}

/** True if the key is Enter, and presses a link or a button that has the focus. */
function isPressing({ key, target }: KeyboardEvent): boolean {
  return key === "Enter" && target instanceof HTMLElement && target.closest("a, button, summary") !== null;
}
