/** The actions of an operator on an invocation in each status, their consequences, and their progress. */
import type { InvocationBody } from "../../shared/api/contract/invocations.ts";
import { shellWord } from "../../shared/api/wire/quoted-words.ts";
import { stepWords } from "../../shared/api/wire/wait-words.ts";
import { countText } from "./size-text.ts";
import { lookOf } from "./status-look.ts";
import { shortened, visibleLine } from "./visible-text.ts";

export const ACTIONS = ["resume", "cancel", "pause", "kill", "restart-as-new", "purge"] as const;
export type ActionName = (typeof ACTIONS)[number];

export interface ActionWords {
  readonly verb: string;
  /** Says which parts stay, and which steps run again. */
  readonly consequence: string;
  readonly isDangerous: boolean;
}

const UNDER_WAY: ReadonlySet<InvocationBody["status"]> = new Set(["running", "ready"]);
const BEFORE_START: ReadonlySet<InvocationBody["status"]> = new Set(["scheduled", "pending"]);

/** What a resume does at once, by status, where it is more or less than its name says. */
const RESUMED: Readonly<Partial<Record<InvocationBody["status"], string>>> = {
  "backing-off": "The next attempt starts at once. ",
  suspended: "An attempt starts at once, and what the invocation waits for stays: a sleep ends no earlier. ",
};

/** The part of an invocation that decides about its actions. */
export type ActionFacts = Pick<InvocationBody, "status" | "entry_count">;

/**
 * @param isWorkflow whether the invocation is the run of a workflow
 * @returns the actions that the server accepts, in the order in which the page shows them
 */
export function actionsFor({ status, entry_count: entries }: ActionFacts, isWorkflow: boolean): readonly ActionName[] {
  if (status === "completed") return isWorkflow || entries === 0 ? ["purge"] : ["restart-as-new", "purge"];
  if (BEFORE_START.has(status)) return ["cancel", "pause", "kill"];
  if (status === "paused") return ["resume", "cancel", "kill"];
  // A running attempt goes on by itself, so a resume would change nothing.
  return UNDER_WAY.has(status) ? ["cancel", "pause", "kill"] : ["resume", "cancel", "pause", "kill"];
}

export function wordsOf(action: ActionName, { status }: ActionFacts): ActionWords {
  const isQueued = BEFORE_START.has(status);
  switch (action) {
    case "resume":
      return {
        verb: "Resume",
        consequence: `${RESUMED[status] ?? ""}The journal stays. The handler's code runs again from its first line, and gets each stored result in place of doing the step again.`,
        isDangerous: false,
      };
    case "cancel":
      return {
        verb: "Cancel",
        consequence: isQueued
          ? "The invocation has not begun: it ends at once, and nothing of it remains."
          : "The handler gets the cancellation at its next step and may undo its work. Calls that it waits for are cancelled too. The journal stays.",
        isDangerous: false,
      };
    case "pause":
      return {
        verb: "Pause",
        consequence:
          "The journal stays. A running attempt may end first; then nothing runs until an operator resumes the invocation.",
        isDangerous: false,
      };
    case "kill":
      return {
        verb: "Kill",
        consequence: isQueued
          ? "The invocation has not begun: it ends at once, and nothing of it remains."
          : "The invocation ends at once with a failure. The handler is not notified and undoes nothing; calls that it waits for are killed too. Effects of stored steps stay.",
        isDangerous: true,
      };
    case "restart-as-new":
      return {
        verb: "Restart",
        consequence: "This invocation stays as it is. A new one begins with the same input.",
        isDangerous: false,
      };
    case "purge":
      return {
        verb: "Purge",
        consequence:
          "Result, journal and idempotency key are deleted for good; effects of the handler stay. Nothing runs again.",
        isDangerous: true,
      };
  }
}

/** The words of the button that asks for the action: everywhere on the page the same as in the title of its dialog. */
export function askText(action: ActionName, facts: ActionFacts): string {
  return `${wordsOf(action, facts).verb} …`;
}

/**
 * The orders that the action gives, one after the other. A resume moves an invocation between two attempts, so one whose attempt
 * is under way is paused first; the command lines of a journal mismatch do the same.
 */
export function ordersOf(
  action: ActionName,
  { status }: ActionFacts,
  { deployment }: ActionOptions,
): readonly ActionName[] {
  const isMove = action === "resume" && deployment !== undefined && deployment !== "";
  return isMove && UNDER_WAY.has(status) ? ["pause", "resume"] : [action];
}

/** Says which entries stay after a restart from an entry, and which steps run again. */
export function restartText(from: number, entryCount: number): string {
  if (from === 0) return "Only the input stays. Every step runs again.";
  const rest = entryCount - 1 - from;
  const stay = `Entries 0 to ${from} stay with their results.`;
  if (rest <= 0) return `${stay} No step of the journal runs again.`;
  return `${stay} ${rest === 1 ? `Entry ${from + 1} runs` : `Entries ${from + 1} to ${entryCount - 1} run`} again.`;
}

/** The progress of the change that an action asked for. */
export type Progress = { readonly isDone: boolean; readonly words: string };

/** @param now the invocation as last read; undefined if the server no longer knows it */
export function progressOf(action: ActionName, before: ActionFacts, now: InvocationBody | undefined): Progress {
  if (now === undefined) {
    if (action === "purge") return { isDone: true, words: "The invocation is purged." };
    return { isDone: true, words: "The invocation ended before its first attempt, so nothing of it is kept." };
  }
  const status = now.outcome ?? now.status;
  const isAt = `The invocation is now ${status}.`;
  switch (action) {
    case "cancel":
    case "kill":
      return { isDone: now.status === "completed", words: isAt };
    case "pause":
      return { isDone: now.status === "paused" || now.status === "completed", words: isAt };
    case "resume":
      // A resumed invocation may back off again, or wait for the same again, before the page reads it.
      return { isDone: now.status !== before.status || RESUMED[now.status] !== undefined, words: isAt };
    case "restart-as-new":
      return { isDone: true, words: "The new invocation has begun." };
    case "purge":
      return { isDone: false, words: "The invocation still exists." };
  }
}

/** The waits between the reads after an action that the server accepted. */
export const READ_AGAIN_AFTER_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

export interface ActionOptions {
  readonly deployment?: string | undefined;
  readonly from?: number | undefined;
}

/** The path and the query of the admin API. */
export function actionPath(id: string, action: ActionName, options: ActionOptions): string {
  const { deployment, from } = chosenFor(action, options);
  const query = new URLSearchParams({
    ...(from !== undefined && from > 0 && { from: String(from) }),
    ...(deployment !== undefined && deployment !== "" && { deployment }),
  }).toString();
  return `invocations/${encodeURIComponent(id)}/${action}${query === "" ? "" : `?${query}`}`;
}

/** Only these actions have choices. */
function chosenFor(action: ActionName, { deployment, from }: ActionOptions): ActionOptions {
  if (action === "restart-as-new") return { deployment, from };
  return action === "resume" ? { deployment } : {};
}

/** The action as a line of the `stepwell` command. */
export function actionLine(id: string, action: ActionName, options: ActionOptions): string {
  const { deployment, from } = chosenFor(action, options);
  const name = action === "restart-as-new" ? "restart" : action;
  const words = ["stepwell", "invocations", name, shellWord(id)];
  if (from !== undefined && from > 0) words.push("--from", String(from));
  if (deployment !== undefined && deployment !== "") words.push("--deployment", shellWord(deployment));
  return words.join(" ");
}

/** @param url the URL of the request to the admin API @param header a further header */
export function curlLine(method: string, url: string, header?: string): string {
  const verb = method === "GET" ? "" : ` -X ${method}`;
  return `curl${verb}${header === undefined ? "" : ` -H ${shellWord(header)}`} ${shellWord(url)}`;
}

const STEP_CHARS = 60;

/** The facts of an open invocation that change while a reader listens, in one sentence without counting seconds. */
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
