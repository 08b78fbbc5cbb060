/** One process in front of its ports: every call is counted, one of them may fail, and after its death none has an effect. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import { StoreError, type Table } from "../../../shared/engine/ports/table.ts";
import { never } from "../never.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { callText, type ExpiryFault, isWrite, type PortCall, type Strike } from "./point.ts";

/** The error of clients that wait for a process that dies. */
export class Death extends Error {
  override name = "Death";
}

/** A process that makes this number of calls is in an endless loop. */
const CALLS_MAX = 40_000;

/** Longer than a lease, so that other processes act meanwhile if they can. */
const LATE_MS = 12_000;

/** Longer than a lease, too. */
const THROTTLED_MS = 12_000;
/** Longer than the time of a function (`WORKED_MS` in `functions.ts`), so that the function must end meanwhile. */
const OVERTIME_MS = 30_000;
/** A refusal comes back after this time. */
const REFUSAL_MS = 5;

export interface Surroundings {
  readonly clock: VirtualClock;
  /** How far the clock of the process is ahead, in milliseconds. */
  readonly skewMs: number;
  /** Takes the messages that come a day late. */
  readonly keepBack: (wake: Wake) => void;
  /** What the indexes showed a while ago. */
  readonly laggingIndex: Table["queryIndex"];
  readonly laggingMany: Table["getMany"];
  /** The number of expired items that are still in the table; 0 unless the scenario lets the table delete such items. */
  readonly expiredItems: () => number;
  /** Deletes the expired item with this number, or all others. */
  readonly expire: (fault: ExpiryFault, item: number) => void;
}

export interface Called<T> {
  readonly call: PortCall;
  readonly effect: () => Promise<T>;
  /** Replaces the effect for a fault that the caller does not notice. */
  readonly instead?: () => Promise<T>;
  /** The error of the caller if the reply is lost; absent if the port promises that the call never fails. */
  readonly lost?: () => Error;
  /** True if the effect is complete only when the answer comes. A death after the call then waits for the answer. */
  readonly waits?: boolean;
  readonly isRead?: boolean;
}

export class FaultyPorts {
  readonly calls: string[] = [];
  /** The number of expired items in the table at each call. */
  readonly expiredAt: number[] = [];
  readonly #around: Surroundings;
  readonly #clock: VirtualClock;
  readonly #strike: Strike | undefined;
  readonly #onDeath: () => void;
  /** Called at the death of the process: each ends a wait or an exchange. */
  readonly endings = new Set<() => void>();
  #dead = false;
  #throttledUntilMs = 0;
  /** The call at which the fault struck. */
  struck: string | undefined;
  /** The number of faults: the strike itself, and each call that was refused because of it. The expiry of an item is no fault. */
  faults = 0;
  /** True while the call at which the fault struck has not had its effect. */
  isLate = false;

  constructor(around: Surroundings, strike: Strike | undefined, onDeath: () => void) {
    this.#around = around;
    this.#clock = around.clock;
    this.#strike = strike;
    this.#onDeath = onDeath;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  get around(): Surroundings {
    return this.#around;
  }

  /** From now on no call has an effect and no wait ends. */
  die(): void {
    if (this.#dead) return;
    this.#dead = true;
    for (const end of this.endings) end();
    this.#clock.forget(this);
    this.#onDeath();
  }

  async called<T>({ call, effect, instead, lost, waits = false, isRead = false }: Called<T>): Promise<T> {
    if (this.#dead) return never();
    const text = callText(call);
    const at = this.calls.push(text) - 1;
    this.expiredAt.push(this.#around.expiredItems());
    if (at >= CALLS_MAX) return never();
    if (this.#clock.nowMs() < this.#throttledUntilMs && kindOf(text) === kindOf(this.struck!)) return this.#refused();
    const strike = this.struck === undefined ? this.#strike : undefined;
    if (strike?.hits(at, text) !== true) return this.#alive(await effect());
    this.struck = text;
    if (strike.fault !== "item-expires" && strike.fault !== "others-expire") this.faults++;
    switch (strike.fault) {
      case "before":
        this.die();
        return never();
      case "repeated":
        await effect();
        return this.#alive(await effect());
      case "throttled":
      case "unreadable":
        this.#throttledUntilMs = this.#clock.nowMs() + THROTTLED_MS;
        return this.#refused();
      case "day-late":
      case "never-fires":
      case "stale":
        return this.#alive(await instead!());
      case "empty":
        return this.#alive({ items: [] } as T);
      case "item-expires":
      case "others-expire":
        this.#around.expire(strike.fault, strike.item ?? 0);
        return this.#alive(await effect());
      case "after":
      case "after-clock-behind":
      case "after-clock-ahead": {
        const effected = effect();
        if (waits) await effected.catch(() => undefined);
        this.die();
        return never();
      }
      case "after-with-lost-reply": {
        const value = await effect();
        if (lost === undefined) return this.#alive(value);
        throw lost();
      }
      case "late-after-death": {
        const late = this.#late(effect);
        this.die();
        await late;
        return never();
      }
      case "time-is-up":
        await this.#clock.sleepOf(this, OVERTIME_MS);
        return this.#alive(await effect());
      case "slow": {
        if (!isRead) return this.#alive(await this.#late(effect));
        const value = await effect();
        return this.#alive(await this.#late(async () => value));
      }
    }
  }

  async #refused(): Promise<never> {
    this.faults++;
    await this.#clock.sleepOf(this, REFUSAL_MS);
    throw new StoreError("the store is throttled, and nothing was done");
  }

  async #late<T>(effect: () => Promise<T>): Promise<T> {
    this.isLate = true;
    await this.#clock.sleep(LATE_MS);
    this.isLate = false;
    return effect();
  }

  #alive<T>(value: T): T | Promise<T> {
    return this.#dead ? never() : value;
  }

  clock(): Clock {
    return {
      nowMs: () => this.#clock.nowMs() + this.#around.skewMs,
      sleep: async (ms, signal) => (this.#dead ? never() : this.#alive(await this.#clock.sleepOf(this, ms, signal))),
    };
  }
}

/** The kind of a call: calls of one kind are throttled together. */
function kindOf(call: string): "write" | "read" | "schedule" | "other" {
  if (isWrite(call)) return "write";
  if (call.startsWith("table.")) return "read";
  return call.startsWith("timers.at ") ? "schedule" : "other";
}
