/** A map for what comes and goes all the time: whatever is taken out of it is free at once. */

interface Slot<Value> {
  value: Value | undefined;
}

/**
 * A `Map` that is added to and deleted from makes itself a new table every few changes. The engine lets each former
 * table point at the next one and at all that it held, so that one table in the old generation keeps everything which
 * was ever in its successors until the next full collection. Places that are emptied keep nothing.
 */
export class TransientMap<Key, Value extends object> {
  readonly #places = new Map<Key, Slot<Value>>();

  get size(): number {
    return this.#places.size;
  }

  has(key: Key): boolean {
    return this.#places.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#places.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const place = this.#places.get(key);
    if (place === undefined) this.#places.set(key, { value });
    else place.value = value;
  }

  delete(key: Key): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    place.value = undefined;
    this.#places.delete(key);
  }

  clear(): void {
    for (const place of this.#places.values()) place.value = undefined;
    this.#places.clear();
  }

  /** In the order in which their keys were added. What is deleted meanwhile is left out, what is added comes last. */
  *values(): Generator<Value, void, undefined> {
    for (const { value } of this.#places.values()) if (value !== undefined) yield value;
  }
}
