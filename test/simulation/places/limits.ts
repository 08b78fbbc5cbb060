/** The limits of a pool while its rule changes, and what each worker may still know of them. */
import type { Item } from "../../../shared/engine/ports/table.ts";
import { holderOf, takenIn } from "../../../shared/engine/store/pool-items.ts";

/** The number of places, or no rule. */
export type Rule = number | "none";

/** The state of the pool when a worker began. */
export interface Start {
  /** The number of the rule. */
  readonly rule: number;
  /** The number of the last rule whose change was at its end. */
  readonly settled: number;
  /** The number of the oldest rule that another worker knew then. */
  readonly oldest: number;
  /** The lives that have had a place all the time since. */
  readonly kept: Set<string>;
}

export class Limits {
  readonly #all: number[] = [];

  constructor(first: Rule) {
    this.set(first);
  }

  set(rule: Rule): void {
    this.#all.push(rule === "none" ? Infinity : rule);
  }

  /**
   * @param alive the starts of the workers that are at work
   * @param changing the starts of those among them that change the rule
   */
  startOf(alive: readonly Start[], changing: readonly Start[], named: ReadonlySet<string>): Start {
    const rule = this.#all.length - 1;
    const oldestOf = (starts: readonly Start[]) => Math.min(rule, ...starts.map((one) => one.rule));
    return { rule, settled: oldestOf(changing), oldest: oldestOf(alive), kept: new Set(named) };
  }

  /**
   * A worker that has begun before a change may let one begin under the former limit. A worker beside it may have read the pool just
   * before that. So fewer than the own limit of a worker may have places from its beginning on. All places together stay within the
   * limits that were known to a worker at that time.
   * @param named the lives that have a place now
   * @param life the one that has got a place
   * @returns why it should not begin
   */
  complaint(start: Start, named: ReadonlySet<string>, life: string): string | undefined {
    const own = this.mostSince(start.rule);
    const kept = start.kept.size - (start.kept.has(life) ? 1 : 0);
    if (kept >= own) return `${kept} have places all the time, and ${own} may`;
    const most = this.mostSince(start.oldest);
    return named.size > most ? `${named.size} have places, and ${most} may` : undefined;
  }

  /** True if there was no rule at some moment since. */
  hadNone({ rule }: Start): boolean {
    return this.mostSince(rule) === Infinity;
  }

  /** A text that is the same for starts that are judged alike. */
  textOf({ rule, settled, oldest, kept }: Start): string {
    return this.#all.length === 1 ? "" : `${rule}.${settled}.${oldest}.${[...kept].sort().join()}`;
  }

  /** @returns the highest limit from the rule of this number on */
  mostSince(rule: number): number {
    return Math.max(...this.#all.slice(rule));
  }
}

/** The lives that have a place. */
export function namedIn(table: { all(): readonly Item[] }): ReadonlySet<string> {
  const named = new Set<string>();
  for (const item of table.all())
    if (item.sk === "places") for (const [, holder] of takenIn(item)) if (holder !== "-") named.add(lifeOf(holder));
  return named;
}

function lifeOf(holder: string): string {
  const { id, nonce } = holderOf(holder);
  return `${id}.${nonce}`;
}
