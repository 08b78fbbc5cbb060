/** Keeps messages hidden from other workers while their process works on them, in rounds. */
import type { Engine } from "../engine.ts";
import type { Delivery } from "../ports/queue.ts";

export interface Hiding {
  /** For how long each round hides a message. */
  readonly hideMs: number;
  /**
   * Hides a message as soon as it is added, for a queue that hid it for another time than `hideMs`. Otherwise a message is first
   * hidden again after a quarter to a half of a lease, so that short work costs no request.
   */
  readonly atOnce: boolean;
}

/** Share of a lease between two rounds. */
const ROUND_SHARE = 0.25;

export class VisibilityExtender {
  readonly #engine: Engine;
  readonly #hiding: Hiding;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  /** Messages that were added since the last round. */
  #young = new Set<Delivery>();
  #old = new Set<Delivery>();
  #finished = new Set<Delivery>();
  #rounds: Promise<void> | undefined;

  constructor(engine: Engine, hiding: Hiding) {
    this.#engine = engine;
    this.#hiding = hiding;
  }

  add(delivery: Delivery): void {
    if (this.#hiding.atOnce) {
      this.#old.add(delivery);
      this.#hide(delivery);
    } else this.#young.add(delivery);
    this.#rounds ??= this.#run();
  }

  remove(delivery: Delivery): void {
    if (!this.#young.delete(delivery)) this.#old.delete(delivery);
  }

  /** Acks the message in the next round, unless the extender is closed before. */
  ackInRound(delivery: Delivery): void {
    this.#finished.add(delivery);
  }

  /** Ends the rounds. Resolves when no request of this extender is under way; call it when no message is added any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#rounds;
    await Promise.all(this.#underWay);
  }

  async #run(): Promise<void> {
    const { clock, settings, queue } = this.#engine;
    while (this.#young.size + this.#old.size + this.#finished.size > 0) {
      if (!(await clock.sleep(settings.leaseMs * ROUND_SHARE, this.#closing.signal))) return;
      for (const delivery of this.#old) this.#hide(delivery);
      for (const { receipt } of this.#finished) this.#ask(queue.ack(receipt).catch(() => undefined));
      this.#finished.clear();
      for (const delivery of this.#young) this.#old.add(delivery);
      this.#young = new Set();
    }
    this.#rounds = undefined;
  }

  #hide(delivery: Delivery): void {
    this.#ask(hideFor(this.#engine, delivery, this.#hiding.hideMs));
  }

  /** A round does not wait for its requests, so that a slow one delays no other message. @param request never rejects */
  #ask(request: Promise<void>): void {
    this.#underWay.add(request);
    void request.then(() => this.#underWay.delete(request));
  }
}

/** Never rejects. */
export async function hideFor(engine: Engine, { receipt, wake }: Delivery, ms: number): Promise<void> {
  try {
    await engine.queue.extend(receipt, ms);
  } catch (error) {
    engine.log.write("message.extension-failed", { invocationId: wake.invocationId, error: String(error) });
  }
}
