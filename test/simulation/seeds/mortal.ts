/** One process of the simulation: its calls take time and may fail; it may freeze, and it may die. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Fate, Mishap } from "./fate.ts";
import type { Random } from "../random.ts";
import { never } from "../never.ts";

/** The error of clients that wait for a process that dies. */
export class Death extends Error {
  override name = "Death";
}

/** The longest time that a call or its answer is on its way. */
const LEG_MAX_MS = 8;
const SLOW_MAX_LEASES = 2;
const FROZEN_MAX_LEASES = 3;

export interface Calling<T> {
  /** The text of the call in the trace. */
  readonly what: string;
  readonly kind: Parameters<Fate["draw"]>[0];
  readonly effect: (mishap: Mishap | undefined) => Promise<T>;
  /** The error of the caller if the call fails. */
  readonly failure: () => Error;
}

export interface Surroundings {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly fate: Fate;
  readonly leaseMs: number;
  /** True if the process owns the store alone: then its death also ends its calls on the way. */
  readonly ownsStore: boolean;
  readonly trace: (line: string) => void;
}

export class Mortal {
  readonly name: string;
  readonly #around: Surroundings;
  readonly #onDeath: () => void;
  /** Aborts at the death of the process. */
  readonly #end = new AbortController();
  #frozenUntilMs = 0;
  /** Resolves when a function that rests goes on; undefined while it works. */
  #resting: Promise<void> | undefined;
  #goOn: () => void = () => {};
  /** The number of faults in its own calls. */
  struck = 0;

  constructor(name: string, around: Surroundings, onDeath: () => void) {
    this.name = name;
    this.#around = around;
    this.#onDeath = onDeath;
  }

  get isDead(): boolean {
    return this.#end.signal.aborted;
  }

  get isFrozen(): boolean {
    return this.#frozenUntilMs > this.#around.clock.nowMs();
  }

  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** Ends the process: it makes no more calls and its waits never end; its calls on the way arrive, unless it owns the store. */
  die(): void {
    if (this.isDead) return;
    this.#around.trace(`${this.name} dies`);
    this.#end.abort();
    this.#around.clock.forget(this);
    this.#onDeath();
  }

  /** A function that has answered makes no call, and gets no answer, until the next piece of work comes. */
  rest(): void {
    this.#resting ??= new Promise((resolve) => (this.#goOn = resolve));
  }

  goOn(): void {
    this.#resting = undefined;
    this.#goOn();
  }

  /** True for this share of the calls. */
  strikesIn(share: number): boolean {
    return this.#around.random.chance(share);
  }

  clock(): Clock {
    const { clock } = this.#around;
    return {
      nowMs: () => clock.nowMs(),
      sleep: async (ms, signal) => {
        if (this.isDead) return never();
        const whole = await clock.sleepOf(this, ms, signal);
        await this.#awake();
        return whole;
      },
    };
  }

  /** Makes a call: the call goes out and has its effect, and the answer comes back. Each way takes time. */
  async call<T>({ what, kind, effect, failure }: Calling<T>): Promise<T> {
    if (this.isDead) return never();
    if (this.#resting !== undefined) await this.#awake();
    const { clock, random, fate, leaseMs, ownsStore, trace } = this.#around;
    const mishap = fate.draw(kind);
    if (mishap !== undefined) this.struck++;
    trace(`${this.name} ${what}${mishap === undefined ? "" : ` [${mishap}]`}`);
    const legMs = () => random.between(1, LEG_MAX_MS);
    const outward = (ms: number) => clock.sleepOf(ownsStore ? this : undefined, ms);
    switch (mishap) {
      case "refused":
        await this.#back(legMs());
        throw failure();
      case "dies-before":
        this.die();
        return never();
      case "dies-after":
        if (ownsStore) void effect(mishap);
        else void clock.sleep(legMs()).then(() => effect(mishap));
        this.die();
        return never();
      case "late-effect":
        // A store in the same process does nothing after it has refused a call.
        if (!ownsStore) void clock.sleep(random.between(1, SLOW_MAX_LEASES * leaseMs)).then(() => effect(mishap));
        await this.#back(legMs());
        throw failure();
      case "slow":
        await outward(random.between(1, SLOW_MAX_LEASES * leaseMs));
        break;
      case "freezes":
        this.#frozenUntilMs = clock.nowMs() + random.between(1, FROZEN_MAX_LEASES * leaseMs);
        break;
      default:
    }
    await outward(legMs());
    if (mishap === "sent-twice") {
      await effect(mishap);
      await outward(legMs());
    }
    const value = await effect(mishap);
    await this.#back(legMs());
    if (mishap === "lost-reply") throw failure();
    return value;
  }

  /** The way back: a frozen process gets the answer later, and a dead one never. */
  async #back(ms: number): Promise<void> {
    if (this.isDead) return never();
    await this.#around.clock.sleepOf(this, ms);
    await this.#awake();
  }

  async #awake(): Promise<void> {
    const { clock, random } = this.#around;
    while (this.#resting !== undefined) await this.#resting;
    while (this.isFrozen)
      await clock.sleepOf(this, this.#frozenUntilMs - clock.nowMs() + random.between(0, LEG_MAX_MS));
    if (this.isDead) return never();
  }
}
