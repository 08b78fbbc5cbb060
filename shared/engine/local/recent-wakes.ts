/** The invocations that this sweeper has woken recently. Under a backlog, later passes send no further message for them. */
import type { InvocationId } from "../../core/model/ids.ts";

const FORGET_FROM = 1_024;

/** These notes are hints in memory. If they are lost, the sweeper sends one more message for each invocation. */
export class RecentWakes {
  readonly #byId = new Map<InvocationId, { readonly state: string; readonly atMs: number }>();
  #forgetFrom = FORGET_FROM;
  #lostBeforeMs = -Infinity;

  /**
   * @param state a text that changes whenever a process claims or parks the invocation; the sweeper may then wake the invocation
   * again at once
   * @param sinceMs a message that was sent before this moment counts as lost
   */
  isKnown(id: InvocationId, state: string, sinceMs: number): boolean {
    const woken = this.#byId.get(id);
    return woken !== undefined && woken.state === state && woken.atMs > sinceMs && woken.atMs >= this.#lostBeforeMs;
  }

  /** @param sinceMs notes from before this moment may be forgotten */
  note(id: InvocationId, state: string, nowMs: number, sinceMs: number): void {
    this.#byId.set(id, { state, atMs: nowMs });
    if (this.#byId.size < this.#forgetFrom) return;
    for (const [other, { atMs }] of this.#byId) if (atMs <= sinceMs) this.#byId.delete(other);
    this.#forgetFrom = Math.max(FORGET_FROM, 2 * this.#byId.size);
  }

  /**
   * Counts messages from before this moment as lost, so that their invocations may be woken again. Called after an
   * operator's order to look at everything.
   */
  loseBefore(atMs: number): void {
    this.#lostBeforeMs = Math.max(this.#lostBeforeMs, atMs);
  }
}
