/** The places that the driver of an invocation has in pools, as it last wrote them. Only the functions of `limits/` change this memory. */

/** A place in the table, as this driver wrote it. */
export interface HeldPlace {
  readonly place: number;
  readonly holder: string;
}

/** A place to be given back, wherever in its pool it is. */
export interface GivenBack {
  readonly holder: string;
  /** Asked right before the write; false if the place is used now. */
  readonly mayPass?: () => boolean;
}

export class HeldPlaces {
  #byPool: Map<string, HeldPlace> | undefined;
  #tokens: Map<string, number> | undefined;
  #inLineFromMs: number | undefined;
  #isIn = false;
  #stretches = 0;
  /** True while the driver waits in memory for a turn, with its turn written and a backstop. */
  waitsInLine = false;
  /** True if places may name the invocation that a former driver has taken, or that were given to it while it waited. */
  mayHaveMore = false;

  /** Names the stretch of running that the pools have let in; undefined while the invocation asks, waits or rests. */
  get stretch(): number | undefined {
    return this.#isIn ? this.#stretches : undefined;
  }

  /** The next attempt may begin: a rule that is made from now on counts it. */
  comeIn(): void {
    this.#isIn = true;
    this.#stretches++;
  }

  goOut(): void {
    this.#isIn = false;
  }

  get isEmpty(): boolean {
    return this.#byPool === undefined || this.#byPool.size === 0;
  }

  /** The pools in which the driver has a place, the widest last. */
  get all(): readonly (readonly [pool: string, held: HeldPlace])[] {
    return this.#byPool === undefined ? [] : [...this.#byPool];
  }

  has(pool: string): boolean {
    return this.#byPool?.has(pool) === true;
  }

  note(pool: string, held: HeldPlace): void {
    (this.#byPool ??= new Map()).set(pool, held);
  }

  forget(pool: string): void {
    this.#byPool?.delete(pool);
  }

  /** The moment of the token that the driver has taken from the bucket of a pool. */
  tokenOf(pool: string): number | undefined {
    return this.#tokens?.get(pool);
  }

  noteToken(pool: string, atMs: number): void {
    (this.#tokens ??= new Map()).set(pool, atMs);
  }

  /** When the driver began to wait in line. */
  inLineFromMs(nowMs: number): number {
    return (this.#inLineFromMs ??= nowMs);
  }
}
