/** The worker: takes messages from the queue and drives their invocations, many at a time. */
import type { Engine } from "../engine.ts";
import { NO_SLOTS, type WorkerLimits, WorkerSlots } from "../admission/worker-slots.ts";
import { Lag } from "../bulkheads/lag.ts";
import { Slots } from "../bulkheads/slots.ts";
import type { Delivery, Intake } from "../ports/queue.ts";
import { hideLonger, type Running, type Source, VisibilityExtender, workThrough } from "./worker-loop.ts";

const RECEIVE_WAIT_MS = 20_000;
const FAILURE_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 64_000;
/** The most invocations outside of the slots: those that wait for journal room, and those that found room after a wait. */
const OUTSIDE_MAX = 128;

/** Runs until the signal aborts, then waits for the work in progress. */
export async function runWorker(engine: Engine, signal: AbortSignal, limits: WorkerLimits): Promise<void> {
  const received = new Received(engine, signal, limits);
  const hidden = new VisibilityExtender(engine, { hideMs: engine.settings.leaseMs, atOnce: false });
  const lag = new Lag(engine.clock, limits.concurrencyMax, (count) => received.want(count));
  const watching = limits.heedsLag === true ? lag.watch(signal) : undefined;
  await workThrough(engine, hidden, received);
  await watching;
}

/** Receives messages for as many invocations as the worker has slots for. */
class Received implements Source<Delivery>, Intake {
  readonly #engine: Engine;
  readonly #signal: AbortSignal;
  readonly #slots: WorkerSlots;
  readonly #concurrencyMax: number;
  /** Gives the slot of a message back. */
  readonly #giveSlotOf = new Map<Delivery, () => void>();
  /** The services of the messages that left their slots. Services share the places in `#outside` as they share the slots. */
  readonly #outsideOf = new Map<Delivery, string>();
  readonly #outside = new Slots({ count: OUTSIDE_MAX, perLane: "share" });
  #look = new AbortController();

  constructor(engine: Engine, signal: AbortSignal, limits: WorkerLimits) {
    this.#engine = engine;
    this.#signal = signal;
    this.#slots = new WorkerSlots(engine.registry, limits, () => this.#lookAgain());
    this.#concurrencyMax = limits.concurrencyMax;
    const { activeInvocations } = engine;
    activeInvocations.slots = this.#slots;
    const stop = (): void => {
      activeInvocations.slots = NO_SLOTS;
      this.#look.abort();
    };
    signal.addEventListener("abort", stop, { once: true });
  }

  async next(running: Running): Promise<readonly Delivery[] | undefined> {
    while (!this.#signal.aborted && this.#free(running) <= 0) {
      this.#engine.activeInvocations.streams.areSlotsWanted = true;
      await running.oneEnds();
    }
    if (this.#signal.aborted) return undefined;
    this.#look = new AbortController();
    const deliveries = await this.#receive(this.#free(running));
    const admitted = this.#slots.admitted();
    for (const [at, delivery] of deliveries.entries()) {
      const give = admitted[at];
      if (give !== undefined) this.#giveSlotOf.set(delivery, give);
    }
    return deliveries;
  }

  admit(service?: string): boolean {
    const isAdmitted = this.#slots.admit(service);
    if (!isAdmitted) this.#engine.activeInvocations.streams.areSlotsWanted = true;
    return isAdmitted;
  }

  async ack({ receipt }: Delivery): Promise<void> {
    await this.#engine.queue.ack(receipt);
  }

  async putOff(delivery: Delivery): Promise<void> {
    await hideLonger(this.#engine, delivery, Math.min(PAUSE_MAX_MS, this.#engine.settings.leaseMs));
  }

  leave(delivery: Delivery, running: Running): boolean {
    if (this.#outsideOf.has(delivery)) return true;
    const service = delivery.wake.service ?? "";
    if (!this.#outside.take(service)) return false;
    this.#outsideOf.set(delivery, service);
    this.#giveSlot(delivery);
    running.noteLeft();
    return true;
  }

  end(delivery: Delivery): void {
    const service = this.#outsideOf.get(delivery);
    if (service !== undefined) this.#outside.give(service);
    this.#outsideOf.delete(delivery);
    this.#giveSlot(delivery);
  }

  #free(running: Running): number {
    return this.#concurrencyMax - (running.count - this.#outside.taken);
  }

  #giveSlot(delivery: Delivery): void {
    const give = this.#giveSlotOf.get(delivery);
    this.#giveSlotOf.delete(delivery);
    give?.();
  }

  /** Sets the number of invocations, which is lower while the process is behind. */
  want(count: number): void {
    this.#slots.want(count);
    this.#lookAgain();
  }

  /**
   * `receive` looks again when a message becomes due. A message that found no slot is due already, so only this abort makes
   * `receive` offer it again.
   */
  #lookAgain(): void {
    if (this.#slots.hasRefused) this.#look.abort();
  }

  async #receive(limit: number): Promise<readonly Delivery[]> {
    const { queue, settings, log, clock } = this.#engine;
    const { signal } = this.#look;
    try {
      return await queue.receive(Math.min(limit, 64), settings.leaseMs, RECEIVE_WAIT_MS, signal, this);
    } catch (error) {
      log.write("queue.read-failed", { error: String(error) });
      await clock.sleep(FAILURE_PAUSE_MS, signal);
      return [];
    }
  }
}
