/** A min-heap of entries, ordered by the moments at which they are due. Entries can be moved and removed. */

export interface Due {
  dueAtMs: number;
  /** Breaks ties: of two entries due at the same moment, the entry with the lower order goes first. */
  readonly order: number;
  /** The position in the heap, maintained by the heap; -1 while the entry is in none. */
  heapIndex: number;
}

export class DueHeap<T extends Due> {
  readonly #nodes: T[] = [];

  get size(): number {
    return this.#nodes.length;
  }

  first(): T | undefined {
    return this.#nodes[0];
  }

  /** Adds the entry, or moves it if it is present. */
  place(due: T, dueAtMs: number): void {
    due.dueAtMs = dueAtMs;
    if (due.heapIndex < 0) {
      due.heapIndex = this.#nodes.length;
      this.#nodes.push(due);
    }
    this.#settle(due);
  }

  /** Removes the entry, if it is present. */
  remove(due: T): void {
    const { heapIndex } = due;
    if (heapIndex < 0) return;
    due.heapIndex = -1;
    const last = this.#nodes.pop()!;
    if (last === due) return;
    this.#nodes[heapIndex] = last;
    last.heapIndex = heapIndex;
    this.#settle(last);
  }

  #settle(due: T): void {
    this.#rise(due);
    this.#sink(due);
  }

  #rise(due: T): void {
    while (due.heapIndex > 0) {
      const parent = this.#nodes[(due.heapIndex - 1) >> 1]!;
      if (!isBefore(due, parent)) return;
      this.#swap(due, parent);
    }
  }

  #sink(due: T): void {
    for (;;) {
      const left = this.#nodes[2 * due.heapIndex + 1];
      const right = this.#nodes[2 * due.heapIndex + 2];
      if (left === undefined) return;
      const child = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(child, due)) return;
      this.#swap(due, child);
    }
  }

  #swap(one: T, other: T): void {
    const { heapIndex } = one;
    one.heapIndex = other.heapIndex;
    other.heapIndex = heapIndex;
    this.#nodes[one.heapIndex] = one;
    this.#nodes[other.heapIndex] = other;
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.dueAtMs < other.dueAtMs || (one.dueAtMs === other.dueAtMs && one.order < other.order);
}
