/** The moments at which each resource is throttled: random bursts. A client survives most of them by retries. */
import { createHash } from "node:crypto";
import { RESOURCES } from "./touched.mjs";

const MINUTE_MS = 60_000;
const FIRST_WITHIN_MS = 30_000;
/** Short: a retry soon succeeds. */
const SHORT_MS = [500, 3_000];
const SHORT_REFUSES_SHARE = 0.8;
/** Long: client and adapter give up after some fourteen seconds together, and their caller gets the error. */
const LONG_MS = [8_000, 18_000];
const LONG_SHARE = 1 / 8;

export class Bursts {
  #state;
  #perMinute;
  #bursts = new Map();
  /** Bursts that have refused a request, by resource. */
  struck = {};

  /**
   * @param seed the same seed gives the same bursts
   * @param perMinute bursts of each resource; 0 for none
   */
  constructor(seed, perMinute) {
    this.#state = seed >>> 0;
    this.#perMinute = perMinute;
  }

  /** Starts new bursts and forgets former ones. The first comes soon, so that a run of minutes has one. */
  begin(nowMs) {
    for (const resource of RESOURCES) this.#bursts.set(resource, this.#next(nowMs, FIRST_WITHIN_MS));
  }

  end() {
    this.#bursts.clear();
  }

  /**
   * A long burst refuses the half of the keys that contains the first requested key, as DynamoDB refuses a hot range of
   * partition keys.
   * @returns DynamoDB's name of the reason; undefined if the resource has room
   */
  refusal({ resource, key }, nowMs) {
    const burst = this.#bursts.get(resource);
    if (burst === undefined || nowMs < burst.fromMs) return undefined;
    // A burst that has refused no request stays, so that a seldom used resource is throttled too.
    if (nowMs > burst.toMs && burst.hasStruck) {
      this.#bursts.set(resource, this.#next(nowMs));
      return undefined;
    }
    const half = burst.isLong ? halfOf(key) : undefined;
    if (burst.half === undefined) burst.half = half;
    if (burst.isLong ? half !== burst.half : this.#random() > SHORT_REFUSES_SHARE) return undefined;
    if (!burst.hasStruck) this.struck[resource] = (this.struck[resource] ?? 0) + 1;
    burst.hasStruck = true;
    return burst.isLong ? "KeyRangeThroughputExceeded" : "MaxOnDemandThroughputExceeded";
  }

  /** A number in [0, 1) (a linear congruential generator). */
  #random() {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  /** The pauses between bursts are those of a Poisson process. */
  #next(nowMs, pauseMaxMs = Infinity) {
    if (this.#perMinute === 0) return undefined;
    const pauseMs = -Math.log(1 - this.#random()) * (MINUTE_MS / this.#perMinute);
    const fromMs = nowMs + Math.min(pauseMs, pauseMaxMs);
    const isLong = this.#random() < LONG_SHARE;
    const [leastMs, mostMs] = isLong ? LONG_MS : SHORT_MS;
    return { fromMs, toMs: fromMs + leastMs + this.#random() * (mostMs - leastMs), isLong, hasStruck: false };
  }
}

function halfOf(key) {
  return createHash("sha256").update(key).digest()[0] % 2;
}
