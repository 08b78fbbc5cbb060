/** One process of the simulation: its calls take time and may go wrong; it may freeze, and it may die. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Fate, Mishap } from "./fate.ts";
import type { Random } from "./random.ts";

/** What clients see of a process that dies while they wait for it. */
export class Death extends Error {
  override name = "Death";
}

const NEVER = new Promise<never>(() => {});
/** A call to the store takes so long, one way. */
const LEG_MAX_MS = 8;
const SLOW_MAX_LEASES = 2;
const FROZEN_MAX_LEASES = 3;

export interface Calling<T> {
  /** For the trace. */
  readonly what: string;
  readonly kind: Parameters<Fate["draw"]>[0];
  readonly effect: (mishap: Mishap | undefined) => Promise<T>;
  /** What the caller is told where the call fails. */
  readonly failure: () => Error;
}

export interface Surroundings {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly fate: Fate;
  readonly leaseMs: number;
  /** Where a process owns the store alone nothing of it is on its way once it is dead. */
  readonly ownsStore: boolean;
  readonly trace: (line: string) => void;
}

export class Mortal {
  readonly name: string;
  readonly #around: Surroundings;
  readonly #onDeath: () => void;
  /** Aborts with the death of the process. */
  readonly #end = new AbortController();
  #frozenUntilMs = 0;
  /** How often something went wrong with its own calls. */
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

  /** From now on it calls nobody, no wait of it ends, and what is on its way arrives all the same. */
  die(): void {
    if (this.isDead) return;
    this.#around.trace(`${this.name} dies`);
    this.#end.abort();
    this.#around.clock.forget(this);
    this.#onDeath();
  }

  clock(): Clock {
    const { clock } = this.#around;
    return {
      nowMs: () => clock.nowMs(),
      sleep: async (ms, signal) => {
        if (this.isDead) return NEVER;
        const whole = await clock.sleepOf(this, ms, signal);
        await this.#awake();
        return whole;
      },
    };
  }

  /** A call: it goes out, has its effect, and its answer comes back, all of which takes time. */
  async call<T>({ what, kind, effect, failure }: Calling<T>): Promise<T> {
    if (this.isDead) return NEVER;
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
        return NEVER;
      case "dies-after":
        if (ownsStore) void effect(mishap);
        else void clock.sleep(legMs()).then(() => effect(mishap));
        this.die();
        return NEVER;
      case "late-effect":
        void outward(random.between(1, SLOW_MAX_LEASES * leaseMs)).then(() => effect(mishap));
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

  /** The way back: who is frozen sees the answer later, and who is dead never does. */
  async #back(ms: number): Promise<void> {
    if (this.isDead) return NEVER;
    await this.#around.clock.sleepOf(this, ms);
    await this.#awake();
  }

  async #awake(): Promise<void> {
    const { clock, random } = this.#around;
    while (this.isFrozen)
      await clock.sleepOf(this, this.#frozenUntilMs - clock.nowMs() + random.between(0, LEG_MAX_MS));
    if (this.isDead) return NEVER;
  }
}
