/** The loop of every worker: works on many messages at a time, keeps them hidden meanwhile, and acks or puts off each. */
import type { Engine } from "../engine.ts";
import type { Delivery } from "../ports/queue.ts";
import { consumeWake } from "./consume-wake.ts";

const PAUSE_MIN_MS = 1_000;

/** Provides messages to the loop, and carries out what the loop decides about each message. */
export interface Source<D extends Delivery> {
  /** @returns undefined when no more messages come */
  next(running: Running): Promise<readonly D[] | undefined>;
  /** A rejection counts as a failure of the work. */
  ack(delivery: D): Promise<void> | void;
  /** Makes a message come again after the work on it failed (I11). Never rejects. */
  putOff(delivery: D): Promise<void> | void;
  /** Gives the slot of the message back before a wait for journal room. @returns false if too many messages wait already */
  leave?(delivery: D, running: Running): boolean;
  /** The work on the message is over. */
  end?(delivery: D): void;
}

/** Resolves when the source is exhausted and each message is acked or put off; no message is kept hidden any more. */
export async function workThrough<D extends Delivery>(
  engine: Engine,
  hidden: VisibilityExtender,
  source: Source<D>,
): Promise<void> {
  const running = new Running();
  for (let deliveries = await source.next(running); deliveries !== undefined; deliveries = await source.next(running))
    for (const delivery of deliveries) void running.add(workOn(engine, hidden, source, delivery, running));
  while (running.count > 0) await running.oneEnds();
  await hidden.close();
}

async function workOn<D extends Delivery>(
  engine: Engine,
  hidden: VisibilityExtender,
  source: Source<D>,
  delivery: D,
  running: Running,
): Promise<void> {
  const mayWait = () => source.leave?.(delivery, running) ?? true;
  const { wake, receiveCount } = delivery;
  const { suspects } = engine.activeInvocations;
  hidden.add(delivery);
  try {
    if (suspects?.includes(delivery) === true) await suspects.try(wake, () => consumeWake(engine, wake, mayWait));
    else await consumeWake(engine, wake, mayWait);
    await source.ack(delivery);
  } catch (error) {
    const { invocationId } = wake;
    engine.log.write("wake.failed", { invocationId, receiveCount, error: String(error) });
    await source.putOff(delivery);
  } finally {
    hidden.remove(delivery);
    source.end?.(delivery);
  }
}

/** Hides a failed message. The pause doubles each time, so that an outage of the store does not turn messages to dead letters. */
export async function hideLonger(engine: Engine, delivery: Delivery, pauseMaxMs: number): Promise<void> {
  const pauseMs = PAUSE_MIN_MS * 2 ** Math.min(delivery.receiveCount, 20);
  await hideFor(engine, delivery, Math.min(pauseMs, pauseMaxMs));
}

/** Counts work in progress. A `Promise.race` over all of it would cost O(n) each time that one piece ends. */
export class Running {
  count = 0;
  #ended: (() => void) | undefined;

  /** @param run never rejects */
  async add(run: Promise<void>): Promise<void> {
    this.count++;
    await run;
    this.count--;
    this.#ended?.();
  }

  /** Makes the caller of `oneEnds` look again, because a piece of work has left its slot. */
  noteLeft(): void {
    this.#ended?.();
  }

  /** Resolves when one piece of work has ended or left its slot. Only one caller may wait at a time. */
  async oneEnds(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    this.#ended = undefined;
  }
}

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
async function hideFor(engine: Engine, { receipt, wake }: Delivery, ms: number): Promise<void> {
  try {
    await engine.queue.extend(receipt, ms);
  } catch (error) {
    engine.log.write("message.extension-failed", { invocationId: wake.invocationId, error: String(error) });
  }
}
