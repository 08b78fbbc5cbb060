/** A heap of moments, of which the earliest comes first. */
export class EarliestFirst {
  readonly #moments: number[] = [];

  get size(): number {
    return this.#moments.length;
  }

  /** Infinity if there is none. */
  get earliest(): number {
    return this.#moments[0] ?? Infinity;
  }

  add(atMs: number): void {
    const moments = this.#moments;
    let at = moments.push(atMs) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (moments[above]! <= atMs) break;
      moments[at] = moments[above]!;
      at = above;
    }
    moments[at] = atMs;
  }

  /** Removes the earliest. @returns Infinity if there is none */
  take(): number {
    const moments = this.#moments;
    const first = moments[0] ?? Infinity;
    const last = moments.pop();
    if (last === undefined || moments.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= moments.length) break;
      if (below + 1 < moments.length && moments[below + 1]! < moments[below]!) below += 1;
      if (moments[below]! >= last) break;
      moments[at] = moments[below]!;
      at = below;
    }
    moments[at] = last;
    return first;
  }
}
