/** The facts of an open invocation that change while a reader listens, in one sentence without counting seconds. */
import type { InvocationBody } from "../../shared/api/contract/invocations.ts";
import { stepWords } from "../../shared/api/wire/wait-words.ts";
import { countText } from "./size-text.ts";
import { lookOf } from "./status-look.ts";
import { shortened, visibleLine } from "./visible-text.ts";

const STEP_CHARS = 60;

export function changesText({
  status,
  outcome,
  entry_count: entries,
  waits_for: waits = [],
}: Pick<InvocationBody, "status" | "outcome" | "entry_count" | "waits_for">): string {
  const step = waits.map(stepWords).find((words) => words !== undefined);
  const runs = step === undefined ? "" : `, runs ${shortened(visibleLine(step), STEP_CHARS)}`;
  return `${lookOf(status, outcome).word}${runs}, ${entries === 1 ? "1 entry" : `${countText(entries)} entries`}`;
}
