/** The schedule of large invocations: one kind after the other, so that short runs have some of each. */
import { LARGE_KINDS } from "./large-kinds.ts";
import type { Scene } from "./scene.ts";

/** The first large invocation comes this long after the start, when small invocations are already under way. */
const FIRST_AFTER_MS = 10_000;

export class LargeTurns {
  readonly #everyMs: number;
  #nextMs: number;
  #turn = 0;

  /** @param everyMs the interval; 0 for no large invocations */
  constructor(startedAtMs: number, everyMs: number) {
    this.#everyMs = everyMs;
    this.#nextMs = everyMs === 0 ? Infinity : startedAtMs + FIRST_AFTER_MS;
  }

  /** @returns the kind whose turn it is; undefined if it is too early */
  next(nowMs: number): ((scene: Scene) => Promise<void>) | undefined {
    if (nowMs < this.#nextMs) return undefined;
    this.#nextMs += this.#everyMs;
    return LARGE_KINDS[this.#turn++ % LARGE_KINDS.length];
  }
}
