/** A map for short-lived values: a deleted value can be collected at once. */

interface Slot<Value> {
  value: Value | undefined;
}

/**
 * A `Map` with many additions and deletions replaces its table every few changes. In V8 each replaced table still points to
 * the next table and to its own entries. A replaced table in the old generation therefore keeps alive all values that any
 * later table contained, until the next full collection. An emptied slot keeps no value alive.
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

  /**
   * Yields the values in the order in which their keys were added. Skips a value that is deleted meanwhile; a value added
   * meanwhile comes last.
   */
  *values(): Generator<Value, void, undefined> {
    for (const { value } of this.#places.values()) if (value !== undefined) yield value;
  }
}
