/** What the present page says about its subject in the title of the tab, and the tone of the tab's icon. */
import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import type { Tone } from "../model/status-look.ts";

export interface Subject {
  readonly words: string;
  readonly tone: Tone | undefined;
}

export const subject = signal<Subject | undefined>(undefined);

/** The title of the tab has these words while the component is mounted. */
export function useSubject(words: string | undefined, tone?: Tone): void {
  useEffect(() => {
    subject.value = words === undefined ? undefined : { words, tone };
  }, [words, tone]);
  useEffect(() => () => void (subject.value = undefined), []);
}
