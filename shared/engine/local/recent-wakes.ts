/** Invocations that a sweeper has woken recently: under a backlog one message for each is enough, in however many passes. */
import type { InvocationId } from "../../core/model/ids.ts";

const FORGET_FROM = 1_024;

/** Hints of this process: a sweeper without them sends one message more. */
export class RecentWakes {
  readonly #byId = new Map<InvocationId, { readonly state: string; readonly atMs: number }>();
  #forgetFrom = FORGET_FROM;
  #lostBeforeMs = -Infinity;

  /**
   * @param state changes whenever a process claims or parks the invocation, which may then be woken again at once
   * @param sinceMs a message from before counts as lost, and is replaced
   */
  isKnown(id: InvocationId, state: string, sinceMs: number): boolean {
    const woken = this.#byId.get(id);
    return woken !== undefined && woken.state === state && woken.atMs > sinceMs && woken.atMs >= this.#lostBeforeMs;
  }

  /** @param sinceMs notes from before are no longer needed */
  note(id: InvocationId, state: string, nowMs: number, sinceMs: number): void {
    this.#byId.set(id, { state, atMs: nowMs });
    if (this.#byId.size < this.#forgetFrom) return;
    for (const [other, { atMs }] of this.#byId) if (atMs <= sinceMs) this.#byId.delete(other);
    this.#forgetFrom = Math.max(FORGET_FROM, 2 * this.#byId.size);
  }

  /**
   * Messages from before count as lost, after an operator's order to look at everything: their invocations may be woken again.
   */
  loseBefore(atMs: number): void {
    this.#lostBeforeMs = Math.max(this.#lostBeforeMs, atMs);
  }
}
