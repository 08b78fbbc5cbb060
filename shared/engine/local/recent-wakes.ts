/** What a sweeper has woken lately: under a backlog one message for each is enough, however many passes there are. */
import type { InvocationId } from "../../core/model/ids.ts";

const FORGET_FROM = 1_024;

/** Hints of this process: a sweeper that remembers nothing sends a message more. */
export class RecentWakes {
  readonly #byId = new Map<InvocationId, { readonly state: string; readonly atMs: number }>();
  #forgetFrom = FORGET_FROM;
  #lostBeforeMs = -Infinity;

  /**
   * @param state changes whenever anybody takes or parks the invocation: then it may be woken again at once
   * @param sinceMs a message from before is taken for lost, and is replaced
   */
  isKnown(id: InvocationId, state: string, sinceMs: number): boolean {
    const woken = this.#byId.get(id);
    return woken !== undefined && woken.state === state && woken.atMs > sinceMs && woken.atMs >= this.#lostBeforeMs;
  }

  /** @param sinceMs of what was noted before nobody will ask again */
  note(id: InvocationId, state: string, nowMs: number, sinceMs: number): void {
    this.#byId.set(id, { state, atMs: nowMs });
    if (this.#byId.size < this.#forgetFrom) return;
    for (const [other, { atMs }] of this.#byId) if (atMs <= sinceMs) this.#byId.delete(other);
    this.#forgetFrom = Math.max(FORGET_FROM, 2 * this.#byId.size);
  }

  /** Somebody says that messages were lost: those of before are none that one could wait for. */
  loseBefore(atMs: number): void {
    this.#lostBeforeMs = Math.max(this.#lostBeforeMs, atMs);
  }
}
