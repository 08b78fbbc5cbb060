/** A queue that counts its requests and passes them on to the queue behind it. As on SQS, no message can be recalled. */
import type { Delivery, Queue, MessageHandle, Wake } from "../../../shared/engine/ports/queue.ts";

/** Counts as if each request carried one message: a receive counts once for each message, and an empty receive does not count. */
export interface QueueRequests {
  sends: number;
  receives: number;
  acks: number;
  extends: number;
}

export class CountedQueue implements Queue {
  readonly requests: QueueRequests = { sends: 0, receives: 0, acks: 0, extends: 0 };
  readonly #queue: Queue;
  readonly #inHand = new Set<string>();
  #held: Promise<void> | undefined;
  /** When each message that is not received yet becomes visible. */
  readonly #waiting: { readonly wake: Wake; readonly dueAtMs: number }[] = [];

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** True while a message is received and not acked, or is visible. */
  isBusy(nowMs: number): boolean {
    return this.#inHand.size > 0 || this.#waiting.some(({ dueAtMs }) => dueAtMs <= nowMs);
  }

  /** When the next message that is not received yet becomes visible. */
  get nextDueAtMs(): number | undefined {
    return this.#waiting.length === 0 ? undefined : Math.min(...this.#waiting.map(({ dueAtMs }) => dueAtMs));
  }

  async send(wake: Wake): Promise<MessageHandle> {
    this.requests.sends++;
    this.#waiting.push({ wake, dueAtMs: wake.sentAtMs + wake.delayMs });
    return await this.#queue.send(wake);
  }

  /** SQS cannot remove a message that is not received yet, so a recalled message still comes. */
  async recall(): Promise<void> {}

  /** While the work lasts, no message reaches its receiver. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const done = work();
    this.#held = done.then(
      () => {},
      () => {},
    );
    return await done;
  }

  async receive(...[limit, ...how]: Parameters<Queue["receive"]>) {
    const deliveries = await this.#queue.receive(limit, ...how);
    await this.#held;
    for (const delivery of deliveries) this.#received(delivery);
    return deliveries;
  }

  async extend(receipt: string, visibilityMs: number): Promise<void> {
    this.requests.extends++;
    await this.#queue.extend(receipt, visibilityMs);
  }

  async ack(receipt: string): Promise<void> {
    this.requests.acks++;
    await this.#queue.ack(receipt);
    this.#inHand.delete(receipt);
  }

  #received({ wake, receipt }: Delivery): void {
    this.requests.receives++;
    this.#inHand.add(receipt);
    const { invocationId, sentAtMs, delayMs } = wake;
    const at = this.#waiting.findIndex(
      ({ wake: sent }) => sent.invocationId === invocationId && sent.sentAtMs === sentAtMs && sent.delayMs === delayMs,
    );
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}
