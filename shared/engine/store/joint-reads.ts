/** Reads that many ask for at the same time: whoever asks gets one that begins after the asking, and shares it with the others. */

interface Reading<V> {
  readonly outcome: Promise<V>;
  /** Begins when this one is over, for all who asked meanwhile: what they must see may have been written since it began. */
  next?: Promise<V>;
}

export class JointReads<K, V> {
  readonly #read: (key: K) => Promise<V>;
  readonly #readings = new Map<K, Reading<V>>();

  constructor(read: (key: K) => Promise<V>) {
    this.#read = read;
  }

  read(key: K): Promise<V> {
    const reading = this.#readings.get(key);
    if (reading === undefined) return this.#begin(key);
    const again = () => this.#begin(key);
    return (reading.next ??= reading.outcome.then(again, again));
  }

  #begin(key: K): Promise<V> {
    const reading: Reading<V> = { outcome: this.#read(key) };
    this.#readings.set(key, reading);
    const over = () => {
      if (reading.next === undefined) this.#readings.delete(key);
    };
    reading.outcome.then(over, over);
    return reading.outcome;
  }
}
