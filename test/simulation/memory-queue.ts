/** A queue in memory, whose messages survive their senders and receivers. */
import type { Clock } from "../../shared/engine/ports/clock.ts";
import {
  QUEUE_DELAY_MAX_MS,
  type Delivery,
  type Queue,
  type MessageHandle,
  type Wake,
} from "../../shared/engine/ports/queue.ts";

/** The queue for messages that were received `receivesMax` times and never acked. */
export interface DeadLetters {
  readonly letters: MemoryQueue;
  readonly receivesMax: number;
}

interface Message {
  readonly wake: Wake;
  visibleAtMs: number;
  receiveCount: number;
  receipt: string;
}

/** The reason of each abort here: without a reason, each abort would make an exception with its stack. */
const ROUSED = "roused";

export class MemoryQueue implements Queue {
  readonly #clock: Clock;
  readonly #messages = new Map<number, Message>();
  readonly #waiting = new Set<AbortController>();
  readonly #dead: DeadLetters | undefined;
  #sent = 0;

  /** @param dead the dead letters; if `dead` is absent, every message comes again until it is acked */
  constructor(clock: Clock, dead?: DeadLetters) {
    this.#clock = clock;
    this.#dead = dead;
  }

  /** The number of messages without an ack. */
  get size(): number {
    return this.#messages.size;
  }

  /** @returns the messages without an ack that are visible at a moment */
  waitingBy(atMs: number): readonly Wake[] {
    return [...this.#messages.values()].flatMap(({ wake, visibleAtMs }) => (visibleAtMs <= atMs ? [wake] : []));
  }

  async send(wake: Wake): Promise<MessageHandle> {
    const { delayMs } = wake;
    if (!(delayMs >= 0 && delayMs <= QUEUE_DELAY_MAX_MS)) throw new RangeError(`a delay of ${delayMs} ms is not taken`);
    return this.sendLate(wake, delayMs);
  }

  /** Sends a message that comes after this time, whatever delay the wake names. */
  sendLate(wake: Wake, comesAfterMs: number): MessageHandle {
    const visibleAtMs = this.#clock.nowMs() + comesAfterMs;
    this.#messages.set(++this.#sent, { wake, visibleAtMs, receiveCount: 0, receipt: "" });
    this.#rouse();
    return String(this.#sent);
  }

  /** Loses every message, as when only the table is restored. */
  clear(): void {
    this.#messages.clear();
  }

  async recall(handle: MessageHandle): Promise<void> {
    if (this.#messages.get(Number(handle))?.receiveCount === 0) this.#messages.delete(Number(handle));
  }

  async receive(
    limit: number,
    visibilityMs: number,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<readonly Delivery[]> {
    const untilMs = this.#clock.nowMs() + waitMs;
    while (signal?.aborted !== true) {
      const deliveries = this.#take(limit, visibilityMs);
      const leftMs = untilMs - this.#clock.nowMs();
      if (deliveries.length > 0 || leftMs <= 0) return deliveries;
      await this.#waitForMessage(leftMs, signal);
    }
    return [];
  }

  async extend(receipt: string, visibilityMs: number): Promise<void> {
    const found = this.#find(receipt);
    if (found === undefined) return;
    found[1].visibleAtMs = this.#clock.nowMs() + visibilityMs;
    this.#rouse();
  }

  async ack(receipt: string): Promise<void> {
    const found = this.#find(receipt);
    if (found !== undefined) this.#messages.delete(found[0]);
  }

  #take(limit: number, visibilityMs: number): Delivery[] {
    const nowMs = this.#clock.nowMs();
    this.#buryDead(nowMs);
    const taken: Delivery[] = [];
    for (const [id, message] of this.#messages) {
      if (taken.length >= limit) break;
      if (message.visibleAtMs > nowMs) continue;
      message.receiveCount++;
      message.receipt = `${id}.${message.receiveCount}`;
      message.visibleAtMs = nowMs + visibilityMs;
      taken.push({ wake: message.wake, receiveCount: message.receiveCount, receipt: message.receipt });
    }
    return taken;
  }

  #buryDead(nowMs: number): void {
    if (this.#dead === undefined) return;
    const { letters, receivesMax } = this.#dead;
    for (const [id, { wake, visibleAtMs, receiveCount }] of this.#messages) {
      if (visibleAtMs > nowMs || receiveCount < receivesMax) continue;
      this.#messages.delete(id);
      letters.sendLate(wake, 0);
    }
  }

  /** @param receipt the receipt of a receive; it begins with the id of the message */
  #find(receipt: string): [number, Message] | undefined {
    const id = Number.parseInt(receipt, 10);
    const message = this.#messages.get(id);
    return receipt !== "" && message?.receipt === receipt ? [id, message] : undefined;
  }

  /** Waits until a message is sent, the next one becomes visible, the time is up or the receiver aborts. */
  async #waitForMessage(leftMs: number, signal: AbortSignal | undefined): Promise<void> {
    const nowMs = this.#clock.nowMs();
    let nextMs = Infinity;
    for (const { visibleAtMs } of this.#messages.values()) nextMs = Math.min(nextMs, visibleAtMs - nowMs);
    const roused = new AbortController();
    const leave = (): void => roused.abort(ROUSED);
    this.#waiting.add(roused);
    signal?.addEventListener("abort", leave, { once: true });
    await this.#clock.sleep(Math.min(leftMs, Math.max(nextMs, 1)), roused.signal);
    signal?.removeEventListener("abort", leave);
    this.#waiting.delete(roused);
  }

  #rouse(): void {
    for (const waiting of this.#waiting) waiting.abort(ROUSED);
  }
}
