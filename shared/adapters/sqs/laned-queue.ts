/** One queue of two lanes: messages for slow services go to a second SQS queue, so that they never fill the main one. */
import type { Delivery, Queue, MessageHandle, Wake } from "../../engine/ports/queue.ts";

/** The prefix of receipts and message handles of the slow lane; the receipts and message ids of SQS contain no space. */
const SLOW = "slow ";

export interface LanedQueueOptions {
  readonly main: Queue;
  readonly slow: Queue;
  /** Called for each message that names its service; reads memory only. */
  readonly isSlow: (service: string) => boolean;
}

/** A receipt names the lane of its message, so extend and ack reach the right queue even if the service has changed lanes. */
export class LanedQueue implements Queue {
  readonly #main: Queue;
  readonly #slow: Queue;
  readonly #isSlow: (service: string) => boolean;

  constructor({ main, slow, isSlow }: LanedQueueOptions) {
    this.#main = main;
    this.#slow = slow;
    this.#isSlow = isSlow;
  }

  async send(wake: Wake): Promise<MessageHandle> {
    const isSlow = wake.service !== undefined && this.#isSlow(wake.service);
    return isSlow ? slowReceipt(await this.#slow.send(wake)) : await this.#main.send(wake);
  }

  async recall(handle: MessageHandle): Promise<void> {
    const [lane, own] = this.#laneOf(handle);
    await lane.recall(own);
  }

  /** Receives from the main lane only: each lane has its own event source, and no receiver reads both. */
  async receive(...asked: Parameters<Queue["receive"]>): Promise<readonly Delivery[]> {
    return await this.#main.receive(...asked);
  }

  async extend(receipt: string, visibilityMs: number): Promise<void> {
    const [lane, own] = this.#laneOf(receipt);
    await lane.extend(own, visibilityMs);
  }

  async ack(receipt: string): Promise<void> {
    const [lane, own] = this.#laneOf(receipt);
    await lane.ack(own);
  }

  #laneOf(receipt: string): readonly [lane: Queue, own: string] {
    return receipt.startsWith(SLOW) ? [this.#slow, receipt.slice(SLOW.length)] : [this.#main, receipt];
  }
}

/** @param receipt a receipt of the slow lane's queue */
export function slowReceipt(receipt: string): string {
  return SLOW + receipt;
}
