/** Tests that the histories catch an engine with a planted mistake, each within a stated number of histories. */
import { expect } from "vitest";
import type { Item } from "../../shared/engine/ports/table.ts";
import { acting } from "../planted/acts.ts";
import { blindHandover, foreignIds } from "../planted/mistakes.ts";
import { plantedTests } from "../planted/planted-tests.ts";
import { withTable } from "../planted/with-table.ts";
import { seedsToTry } from "../simulation/seeds/seeds-to-try.ts";
import type { Sabotage } from "../simulation/seeds/running.ts";
import { playOnOneTable } from "./one-table.ts";
import { judgeAll } from "./things.ts";

/** A promise is written over the value that it has. */
const promiseTwice: Sabotage = (engine) =>
  withTable(engine, {
    put: (item, condition) => engine.table.put(item, item.sk.startsWith("promise#") ? acting(undefined) : condition),
  });

/** A process goes on reading the lock with the state as it first read it. */
const staleState: Sabotage = (engine) => {
  const read = new Map<string, Item | undefined>();
  return withTable(engine, {
    async get(key) {
      if (key.sk !== "lock") return await engine.table.get(key);
      if (!read.has(key.pk)) {
        read.set(key.pk, await engine.table.get(key));
        return read.get(key.pk);
      }
      return acting(read.get(key.pk));
    },
  });
};

/** The state of a key stays as it was at each give-back: the change of the holder is lost. */
const lostState: Sabotage = (engine) =>
  withTable(engine, {
    update(key, update, condition) {
      const isHandover = key.sk === "lock" && (update.set?.["held"] === 0 || update.set?.["head"] !== undefined);
      if (!isHandover) return engine.table.update(key, update, condition);
      const { st: _state, ...set } = update.set ?? {};
      return engine.table.update(key, acting({ ...update, set }), condition);
    },
  });

/** @returns the number of histories with a violation among the given seeds, up to the first */
async function isCaught(sabotage: Sabotage, seeds: readonly number[]): Promise<number | undefined> {
  for (const seed of seeds) {
    const { operations, isStuck } = await playOnOneTable(seed, sabotage).catch(() => ({
      operations: [],
      isStuck: true,
    }));
    if (isStuck || judgeAll(operations).some(({ verdict }) => verdict.kind === "violation")) return seed;
  }
  return undefined;
}

const PLANTED: readonly { readonly what: string; readonly sabotage: Sabotage; readonly first: number }[] = [
  { what: "a promise that two resolves complete", sabotage: promiseTwice, first: 3 },
  { what: "ids that differ from process to process", sabotage: foreignIds, first: 1 },
  { what: "a give-back without its condition", sabotage: blindHandover, first: 8 },
  { what: "a lock that is read once", sabotage: staleState, first: 1 },
  { what: "a change of state that the give-back drops", sabotage: lostState, first: 1 },
];

plantedTests(import.meta.filename, PLANTED, async ({ sabotage, first }) => {
  const caught = await isCaught(sabotage, seedsToTry(first, 200));
  console.log(`caught by history ${caught}`);
  expect(caught).toBeDefined();
});
