/** Messages that were sent in place of others and have not come yet: one of them stands for all that would come later. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Wake } from "../ports/queue.ts";

export interface StandingMessage {
  readonly wake: Wake;
  readonly dueAtMs: number;
  /** Rejects if the message could not be sent; it then stands for no other. */
  readonly sent: Promise<unknown>;
}

/** The largest correction of a clock between a sending and its delivery. */
const CLOCK_MARGIN_MS = 50;
const FORGET_FROM = 1_024;

/** Keeps the last such message of each invocation, and forgets due ones, so that memory stays bounded. */
export class PendingRequeues {
  readonly #byId = new Map<InvocationId, StandingMessage>();
  #forgetFrom = FORGET_FROM;

  /**
   * Finds a message that stands for the received one, which would be put back until `dueAtMs`: it comes no later, and at most
   * `nearMs` earlier. A message never stands for itself, nor for one with a moment that it lacks: a hop towards a far timer is
   * the only one of its kind.
   */
  before(came: Wake, nowMs: number, dueAtMs: number, nearMs: number): StandingMessage | undefined {
    const standing = this.#byId.get(came.invocationId);
    if (standing === undefined || standing.dueAtMs <= nowMs + CLOCK_MARGIN_MS) return undefined;
    if (standing.dueAtMs > dueAtMs || dueAtMs - standing.dueAtMs > nearMs) return undefined;
    const { sentAtMs, delayMs, wakeAtMs } = standing.wake;
    if (came.wakeAtMs !== undefined && came.wakeAtMs !== wakeAtMs) return undefined;
    return sentAtMs === came.sentAtMs && delayMs === came.delayMs ? undefined : standing;
  }

  note(message: StandingMessage, nowMs: number): void {
    const { invocationId } = message.wake;
    this.#byId.set(invocationId, message);
    message.sent.catch(() => {
      if (this.#byId.get(invocationId) === message) this.#byId.delete(invocationId);
    });
    if (this.#byId.size < this.#forgetFrom) return;
    for (const [id, { dueAtMs }] of this.#byId) if (dueAtMs <= nowMs) this.#byId.delete(id);
    this.#forgetFrom = Math.max(FORGET_FROM, 2 * this.#byId.size);
  }
}
