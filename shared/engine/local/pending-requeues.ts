/** Messages sent in place of others, as long as they have not come: one of them stands for all that would come later. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Wake } from "../ports/queue.ts";

export interface StandingMessage {
  readonly wake: Wake;
  readonly dueAtMs: number;
  /** Rejects where it could not be sent: then it stands for nothing. */
  readonly sent: Promise<unknown>;
}

/** A clock may be corrected by so much between a sending and its delivery. */
const CLOCK_MARGIN_MS = 50;
const FORGET_FROM = 1_024;

/** The last one of each invocation; those that are due are forgotten, so that memory stays bounded. */
export class PendingRequeues {
  readonly #byId = new Map<InvocationId, StandingMessage>();
  #forgetFrom = FORGET_FROM;

  /**
   * Finds the message that will come before one that came now and would be put off until `dueAtMs`, by `nearMs` at most.
   * A message never stands for itself, nor for one that carries a moment which it does not carry itself: a hop towards a
   * far timer is the only one of its kind.
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
