/** Keeps messages hidden from other workers while this process works on them. Each round hides them again for `hideMs`. */
import type { Engine } from "../engine.ts";
import type { Delivery } from "../ports/queue.ts";

export interface Hiding {
  /** The time for which each round hides a message. */
  readonly hideMs: number;
  /**
   * True hides a message as soon as it is added, because the queue has hidden it for a time other than `hideMs`. False hides it
   * only after a quarter to a half of a lease, so that short work costs no request.
   */
  readonly atOnce: boolean;
}

/** The time between two rounds, as a share of a lease. */
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

  /** Acks the message in the next round. If the extender is closed before, the message is not acked. */
  ackInRound(delivery: Delivery): void {
    this.#finished.add(delivery);
  }

  /** Ends the rounds; no message may be added afterwards. Resolves when no request of this extender is under way. */
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

  /** A round does not wait for its requests, so that a slow request delays no other message. @param request never rejects */
  #ask(request: Promise<void>): void {
    this.#underWay.add(request);
    void request.then(() => this.#underWay.delete(request));
  }
}

/** Hides the message for this time from now on. Never rejects: a failure is logged. */
export async function hideFor(engine: Engine, { receipt, wake }: Delivery, ms: number): Promise<void> {
  try {
    await engine.queue.extend(receipt, ms);
  } catch (error) {
    engine.log.write("message.extension-failed", { invocationId: wake.invocationId, error: String(error) });
  }
}
