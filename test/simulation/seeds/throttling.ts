/**
 * Throttling: for a while, the scheduler refuses every new schedule, or the table refuses all reads, all writes, all reads of
 * one index, or all writes to one index.
 */
import {
  StoreError,
  type IndexName,
  type Item,
  type Key,
  type Table,
  type Write,
} from "../../../shared/engine/ports/table.ts";
import type { Timers } from "../../../shared/engine/ports/timers.ts";
import { START_MS } from "../virtual-clock.ts";
import type { Mortal } from "./mortal.ts";
import type { Random } from "../random.ts";

/** The share of the seeds with bursts. */
export const THROTTLING_SHARE = 0.15;
const BURSTS_MAX = 3;
/**
 * Every burst ends before clients give up. Some bursts last until a message has become a dead letter, and some last longer than
 * a pass of the sweeper.
 */
const BURST_MIN_MS = 2_000;
const BURST_MAX_MS = 80_000;
const WITHIN_MS = 60_000;
/** A refusal comes back after this time. */
const REFUSAL_MS = 5;

/** The weight of each target: there are few schedules, so they get more bursts. */
const TARGETS = {
  "table-writes": 2,
  "table-reads": 2,
  "open-writes": 2,
  "open-reads": 1,
  "list-writes": 2,
  "list-reads": 1,
  timers: 5,
};
type Target = keyof typeof TARGETS;
export type Throttled = `throttled-${"table" | "open" | "list" | "timers"}`;

interface Burst {
  readonly target: Target;
  readonly fromMs: number;
  readonly untilMs: number;
}

export class Throttling {
  readonly #bursts: readonly Burst[];
  readonly #onRefusal: (what: Throttled) => void;

  /** @param onRefusal called for each call that is refused */
  constructor(random: Random, isBound: boolean, onRefusal: (what: Throttled) => void) {
    this.#onRefusal = onRefusal;
    const bursts = random.chance(isBound ? 1 : THROTTLING_SHARE) ? random.between(1, BURSTS_MAX) : 0;
    this.#bursts = Array.from({ length: bursts }, () => {
      const fromMs = START_MS + random.between(0, WITHIN_MS);
      return { target: random.weighted(TARGETS), fromMs, untilMs: fromMs + random.between(BURST_MIN_MS, BURST_MAX_MS) };
    });
  }

  get strikes(): boolean {
    return this.#bursts.length > 0;
  }

  /** @throws StoreError during a burst, after a short wait */
  async pass(mortal: Mortal, targets: readonly Target[]): Promise<void> {
    if (this.#bursts.length === 0) return;
    const clock = mortal.clock();
    const nowMs = clock.nowMs();
    const burst = this.#bursts.find(
      ({ target, fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs && targets.includes(target),
    );
    if (burst === undefined) return;
    this.#onRefusal(`throttled-${burst.target.split("-")[0] as "table" | "open" | "list" | "timers"}`);
    mortal.struck++;
    await clock.sleep(REFUSAL_MS);
    throw new StoreError(`${burst.target} are throttled, and nothing was done`);
  }
}

/**
 * @param existing the function that returns the stored item at a key. A throttled index refuses a write if the index contains the
 *   stored item or will contain the new one
 */
export function throttledTable(
  table: Table,
  throttling: Throttling,
  mortal: Mortal,
  existing: (key: Key) => Item | undefined,
): Table {
  if (!throttling.strikes) return table;
  const targetsOf = (write: Write): readonly Target[] => {
    const key = write.kind === "put" ? write.item : write.key;
    const items = [existing(key), write.kind === "put" ? write.item : undefined];
    const isIn = (index: IndexName): boolean => items.some((item) => item?.[`${index}Pk`] !== undefined);
    return [
      "table-writes",
      ...(isIn("open") ? ["open-writes" as const] : []),
      ...(isIn("list") ? ["list-writes" as const] : []),
    ];
  };
  const reading = async <T>(target: Target, read: () => Promise<T>): Promise<T> => {
    await throttling.pass(mortal, [target]);
    return await read();
  };
  const writing = async <T>(writes: readonly Write[], write: () => Promise<T>): Promise<T> => {
    await throttling.pass(mortal, writes.flatMap(targetsOf));
    return await write();
  };
  return {
    ...table,
    get: (key) => reading("table-reads", () => table.get(key)),
    getMany: (keys) => reading("table-reads", () => table.getMany(keys)),
    query: (pk, range) => reading("table-reads", () => table.query(pk, range)),
    queryIndex: (index, pk, range) => reading(`${index}-reads`, () => table.queryIndex(index, pk, range)),
    put: (item, condition) => writing([{ kind: "put", item }], () => table.put(item, condition)),
    update: (key, update, condition) =>
      writing([{ kind: "update", key, update }], () => table.update(key, update, condition)),
    delete: (key, condition) => writing([{ kind: "delete", key }], () => table.delete(key, condition)),
    transact: (writes) => writing(writes, () => table.transact(writes)),
  };
}

export function throttledTimers(timers: Timers, throttling: Throttling, mortal: Mortal): Timers {
  return {
    async at(timer) {
      await throttling.pass(mortal, ["timers"]);
      await timers.at(timer);
    },
    cancel: (name) => timers.cancel(name),
  };
}
