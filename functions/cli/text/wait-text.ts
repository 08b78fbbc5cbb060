/** Writes what an invocation waits for, one line for each wait, and why it is paused. */
import type { PauseBody, WaitBody } from "../../../shared/api/contract/invocations.ts";
import { pauseWords, waitText } from "../../../shared/api/wire/wait-words.ts";
import { momentText } from "./moment.ts";
import { foreignLine } from "./visible-text.ts";

const MOMENTS = {
  at: (moment: string) => `at ${momentText(moment)}`,
  until: (moment: string) => `until ${momentText(moment)}`,
};

/** @returns a line for each wait; if a wait is for another invocation, the waits of that one follow on indented lines */
export function waitLines(waits: readonly WaitBody[], indent = ""): readonly string[] {
  return waits.flatMap((wait) => [
    `${indent}${foreignLine(waitText(wait, MOMENTS))}, since ${momentText(wait.since)}`,
    ...waitLines(wait.waits_for ?? [], `${indent}  `),
  ]);
}

export function pauseText(pause: PauseBody): string {
  return foreignLine(`${pauseWords(pause)}, at ${momentText(pause.at)}`);
}
