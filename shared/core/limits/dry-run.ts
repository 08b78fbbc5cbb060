/** Tries a rule on invocations of the past: which of them would have waited for a place or for a token, and how long. */
import { EarliestFirst } from "./earliest-first.ts";
import { ruleBook, type Subject } from "./rule-book.ts";
import type { Limits, Rule } from "./rule.ts";
import { nextTokenAtMs, takeTokens } from "./token-bucket.ts";

/** One invocation as it ran. */
export interface PastRun extends Subject {
  readonly startedAtMs: number;
  /** Absent while it runs. */
  readonly endedAtMs?: number | undefined;
}

export interface Trial {
  /** The invocations that the rule counts. */
  readonly matched: number;
  /** The invocations among them that would have started later. */
  readonly heldBack: number;
  readonly longestWaitMs: number;
}

/**
 * Tries each rule by itself; of a level, the most specific pattern counts, among the tried rules and the stored ones together. An
 * invocation counts as running from its start to its end. In a pool, invocations start in the order in which they did.
 * @param stored the rules that are there; a tried rule takes the place of the one with its pattern
 * @returns one trial for each tried rule, in their order
 */
export function tryRules(
  tried: readonly Rule[],
  stored: readonly Rule[],
  runs: readonly PastRun[],
  nowMs: number,
): readonly Trial[] {
  const patterns = new Set(tried.map(({ pattern }) => pattern));
  const book = ruleBook([...stored.filter(({ pattern }) => !patterns.has(pattern)), ...tried]);
  const trials = new Map(tried.map(({ pattern, limits }) => [pattern, new RuleTrial(limits, nowMs)]));
  for (const run of runs.toSorted((a, b) => a.startedAtMs - b.startedAtMs))
    for (const { name, rule } of book.poolsOf(run)) trials.get(rule.pattern)?.add(name, run);
  return tried.map(({ pattern }) => trials.get(pattern)!.result);
}

/** One rule, with all pools of its pattern. */
class RuleTrial {
  readonly #limits: Limits;
  readonly #nowMs: number;
  readonly #pools = new Map<string, TriedPool>();
  #result: Trial = { matched: 0, heldBack: 0, longestWaitMs: 0 };

  constructor(limits: Limits, nowMs: number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  get result(): Trial {
    return this.#result;
  }

  add(name: string, run: PastRun): void {
    const pool = this.#pools.get(name) ?? new TriedPool(this.#limits);
    this.#pools.set(name, pool);
    const waitMs = Math.max(0, Math.min(pool.start(run), this.#nowMs) - run.startedAtMs);
    const { matched, heldBack, longestWaitMs } = this.#result;
    this.#result = {
      matched: matched + 1,
      heldBack: heldBack + (waitMs > 0 ? 1 : 0),
      longestWaitMs: Math.max(longestWaitMs, waitMs),
    };
  }
}

class TriedPool {
  readonly #limits: Limits;
  /** The ends of those that hold a place. */
  readonly #ends = new EarliestFirst();
  #fullAtUs = 0;
  #lastStartMs = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** @returns when the invocation would have started; Infinity if it would still wait */
  start({ startedAtMs, endedAtMs = Infinity }: PastRun): number {
    const turnAtMs = Math.max(startedAtMs, this.#lastStartMs);
    const atMs = this.#withToken(this.#withPlace(turnAtMs));
    this.#lastStartMs = atMs;
    if (this.#limits.concurrency !== undefined) this.#ends.add(atMs + Math.max(0, endedAtMs - startedAtMs));
    return atMs;
  }

  #withPlace(fromMs: number): number {
    const { concurrency } = this.#limits;
    if (concurrency === undefined || fromMs === Infinity) return fromMs;
    let atMs = fromMs;
    while (this.#ends.earliest <= atMs) this.#ends.take();
    while (this.#ends.size >= concurrency) atMs = Math.max(atMs, this.#ends.take());
    return atMs;
  }

  #withToken(fromMs: number): number {
    const { rate } = this.#limits;
    if (rate === undefined || fromMs === Infinity) return fromMs;
    const atMs = Math.max(fromMs, nextTokenAtMs(rate, this.#fullAtUs, fromMs));
    this.#fullAtUs = takeTokens(rate, this.#fullAtUs, atMs, 1).fullAtUs;
    return atMs;
  }
}
