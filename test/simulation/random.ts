/** Random numbers that are the same in every run: all draws of a simulation follow from one seed. */

/** A small counter-based generator: each draw mixes the next number of a sequence that the seed begins. */
export class Random {
  #state: number;

  /** @param seed an integer */
  constructor(seed: number) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
    for (let warm = 0; warm < 4; warm++) this.unit();
  }

  /** From 0 up to, not including, 1. */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.unit() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.unit() < share;
  }

  /** @throws RangeError for an empty list */
  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)];
    if (picked === undefined) throw new RangeError("nothing to pick from");
    return picked;
  }

  /** Draws one of the names, with its weight as likelihood. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const names = Object.keys(weights) as K[];
    let left = this.unit() * names.reduce((sum, name) => sum + weights[name], 0);
    return names.find((name) => (left -= weights[name]) < 0) ?? this.pick(names);
  }
}
