/** What a sweeper has woken lately: under a backlog one message for each is enough, however many passes there are. */
import type { InvocationId } from "../../core/model/ids.ts";

/** A message that was lost is replaced after so long. */
const WOKEN_FOR_MS = 300_000;
const FORGET_FROM = 1_024;

/** Hints of this process: a sweeper that remembers nothing sends a message more. */
export class Woken {
  readonly #byId = new Map<InvocationId, { readonly state: string; readonly atMs: number }>();
  #forgetFrom = FORGET_FROM;

  /** @param state changes whenever anybody takes or parks the invocation: then it may be woken again at once */
  isKnown(id: InvocationId, state: string, nowMs: number): boolean {
    const woken = this.#byId.get(id);
    return woken !== undefined && woken.state === state && nowMs - woken.atMs < WOKEN_FOR_MS;
  }

  note(id: InvocationId, state: string, nowMs: number): void {
    this.#byId.set(id, { state, atMs: nowMs });
    if (this.#byId.size < this.#forgetFrom) return;
    for (const [other, { atMs }] of this.#byId) if (nowMs - atMs >= WOKEN_FOR_MS) this.#byId.delete(other);
    this.#forgetFrom = Math.max(FORGET_FROM, 2 * this.#byId.size);
  }
}
