/** Shares reads between concurrent callers: each caller gets a read that begins after its request. */

interface Reading<V> {
  readonly outcome: Promise<V>;
  /** The next read, for callers that came during this read: this read may miss writes made after it began. */
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
