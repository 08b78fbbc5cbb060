/** All states of the upgrade drill (`drill.ts`), and those that a fixture has. */
import type { Account } from "./account.ts";
import { FIRST_STATES } from "./first-states.ts";
import { NEWER_STATES } from "./newer-states.ts";
import type { State } from "./state.ts";

export const STATES: readonly State[] = [...FIRST_STATES, ...NEWER_STATES];

/** An invocation that is cancelled while no worker takes messages: the cancel is stored, and no driver has read it. */
export const CALLED_OFF = "called-off";

/**
 * True if fixtures of functions can have the state, and those of the local process cannot. The writer of a fixture can withhold
 * messages from functions, but not from the local process, which keeps its messages in its own store.
 */
export function isOfFunctionsAlone({ name, phase }: State): boolean {
  return phase === "unworked" || name === CALLED_OFF;
}

/** The states that a fixture has. */
export function statesOf({ ids }: Account): readonly State[] {
  return STATES.filter(({ name }) => ids[name] !== undefined);
}

/**
 * The status as the drill compares it. If a state is left as `open` (`LeftAs`), its status before the end differs by version, so
 * the drill reads every status except `completed` as `open`. The status of any other state is compared as given.
 */
export function statusWord(name: string, status: string): string {
  const isOpen = status !== "completed" && STATES.some((state) => state.name === name && state.left === "open");
  return isOpen ? "open" : status;
}

/**
 * The number of pinned invocations in the open index. The children of suspended callers count. The child of a running caller is
 * not in the index, because the driver of the caller also drives the child.
 */
export function pinnedOf(account: Account): number {
  const begun = statesOf(account).filter(({ left }) => !["completed", "scheduled", "pending", "ready"].includes(left));
  return begun.length + begun.filter(({ child, left }) => left === "suspended" && child !== undefined).length;
}
