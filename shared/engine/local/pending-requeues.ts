/** Messages that this process sent in place of others and that are not due yet; each makes later messages unnecessary. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Wake } from "../ports/queue.ts";

export interface PendingMessage {
  readonly wake: Wake;
  readonly dueAtMs: number;
  /** Rejects if the message could not be sent; it then replaces no other message. */
  readonly sent: Promise<unknown>;
}

/** The largest correction of a clock between a sending and its delivery. */
const CLOCK_MARGIN_MS = 50;
const FORGET_FROM = 1_024;

/** Keeps the last such message of each invocation, and forgets due ones, so that memory stays bounded. */
export class PendingRequeues {
  readonly #byId = new Map<InvocationId, PendingMessage>();
  #forgetFrom = FORGET_FROM;

  /**
   * Finds a noted message that makes a new message in place of the received one unnecessary. The new message would be due at
   * `dueAtMs`; the noted message comes no later than that, and at most `nearMs` earlier. A message never replaces itself. If the
   * received message has `wakeAtMs`, the noted one must have the same value, because only a message with this value is sent again
   * until the moment has come (I11).
   */
  before(came: Wake, nowMs: number, dueAtMs: number, nearMs: number): PendingMessage | undefined {
    const pending = this.#byId.get(came.invocationId);
    if (pending === undefined || pending.dueAtMs <= nowMs + CLOCK_MARGIN_MS) return undefined;
    if (pending.dueAtMs > dueAtMs || dueAtMs - pending.dueAtMs > nearMs) return undefined;
    const { sentAtMs, delayMs, wakeAtMs } = pending.wake;
    if (came.wakeAtMs !== undefined && came.wakeAtMs !== wakeAtMs) return undefined;
    return sentAtMs === came.sentAtMs && delayMs === came.delayMs ? undefined : pending;
  }

  note(message: PendingMessage, nowMs: number): void {
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
