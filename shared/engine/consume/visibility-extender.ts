/** Keeps the messages that a worker works on hidden from other workers, in rounds. */
import type { Engine } from "../engine.ts";

export class VisibilityExtender {
  readonly #engine: Engine;
  #young = new Set<string>();
  /** Messages that were there in the round before. */
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

  /** Extends each message after a quarter to a half of its time; the message of a dead worker comes again when that is over. */
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
