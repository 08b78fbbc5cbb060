/** All states of the drill, and which of them a fixture has. */
import type { Account } from "./account.ts";
import { FIRST_STATES } from "./first-states.ts";
import { NEWER_STATES } from "./newer-states.ts";
import type { State } from "./state.ts";

export const STATES: readonly State[] = [...FIRST_STATES, ...NEWER_STATES];

/** Cancelled when nobody works on messages any more: the order stands in the table and was never obeyed. */
export const CALLED_OFF = "called-off";

/** Those that only functions can be left in: the local process has its messages in its own store. */
export function isOfFunctionsAlone({ name, phase }: State): boolean {
  return phase === "unworked" || name === CALLED_OFF;
}

/** The states that a fixture has. */
export function statesOf({ ids }: Account): readonly State[] {
  return STATES.filter(({ name }) => ids[name] !== undefined);
}

/** The status of a state as the drill compares it. */
export function statusWord(name: string, status: string): string {
  const isOpen = status !== "completed" && STATES.some((state) => state.name === name && state.left === "open");
  return isOpen ? "open" : status;
}

/** How many of a fixture are fixed to their deployment and stand in the open index: those that their callers' drivers took along do not. */
export function pinnedOf(account: Account): number {
  const begun = statesOf(account).filter(({ left }) => !["completed", "scheduled", "pending", "ready"].includes(left));
  return begun.length + begun.filter(({ child, left }) => left === "suspended" && child !== undefined).length;
}
