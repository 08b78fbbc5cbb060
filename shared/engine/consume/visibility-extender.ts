/** Messages that are being worked on: one round after the other keeps them hidden from other workers. */
import type { Engine } from "../engine.ts";

export class VisibilityExtender {
  readonly #engine: Engine;
  #young = new Set<string>();
  /** Those that were there in the round before. */
  #old = new Set<string>();
  #isRunning = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  add(receipt: string): void {
    this.#young.add(receipt);
    if (!this.#isRunning) void this.#run();
  }

  remove(receipt: string): void {
    if (!this.#young.delete(receipt)) this.#old.delete(receipt);
  }

  /** Each is extended when between a quarter and a half of its time is over; a dead worker's message comes back when all is. */
  async #run(): Promise<void> {
    const { clock, queue, settings } = this.#engine;
    this.#isRunning = true;
    while (this.#young.size + this.#old.size > 0) {
      await clock.sleep(settings.leaseMs / 4);
      for (const receipt of this.#old) void queue.extend(receipt, settings.leaseMs).catch(() => undefined);
      for (const receipt of this.#young) this.#old.add(receipt);
      this.#young = new Set();
    }
    this.#isRunning = false;
  }
}
