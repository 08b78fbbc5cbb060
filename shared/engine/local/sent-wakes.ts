/** The wakes that this process has sent lately, as hints in memory: they make further ones unnecessary. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Wake } from "../ports/queue.ts";
import type { Clock } from "../ports/clock.ts";

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

export interface PendingMessage {
  readonly wake: Wake;
  readonly dueAtMs: number;
  /** Rejects if the message could not be sent; it then replaces no other message. */
  readonly sent: Promise<unknown>;
}

/** The largest correction of a clock between a sending and its delivery. */
const CLOCK_MARGIN_MS = 50;

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

/** Delays work for a moment and begins it together, with one timer for all work of the same delay. */
export class DelayedBatch {
  readonly #clock: Clock;
  /** By delay in milliseconds; callers use few different delays. */
  readonly #waiting = new Map<number, (() => void)[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param begin begins the work; the batch calls it after `waitMs` at the earliest and after twice that time at the latest */
  add(waitMs: number, begin: () => void): void {
    const waiting = this.#waiting.get(waitMs);
    if (waiting !== undefined) return void waiting.push(begin);
    this.#waiting.set(waitMs, [begin]);
    void this.#run(waitMs);
  }

  async #run(waitMs: number): Promise<void> {
    for (let due = this.#waiting.get(waitMs)!; due.length > 0; due = this.#waiting.get(waitMs)!) {
      this.#waiting.set(waitMs, []);
      await this.#clock.sleep(waitMs);
      for (const begin of due) begin();
    }
    this.#waiting.delete(waitMs);
  }
}
