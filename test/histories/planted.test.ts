/** Tests that the histories catch an engine with a planted mistake, each within a stated number of histories. */
import { expect, test } from "vitest";
import type { Engine } from "../../shared/engine/engine.ts";
import type { Item, Table } from "../../shared/engine/ports/table.ts";
import { seedsToTry } from "../simulation/seeds/seeds-to-try.ts";
import type { Sabotage } from "../simulation/seeds/world.ts";
import { playOnOneTable } from "./one-table.ts";
import { judgeAll } from "./things.ts";

function withTable(engine: Engine, change: Partial<Table>): Engine {
  const { get, getMany, query, queryIndex, partitions, put, update, delete: remove, transact } = engine.table;
  return {
    ...engine,
    table: { get, getMany, query, queryIndex, partitions, put, update, delete: remove, transact, ...change },
  };
}

/** A promise is written over the value that it has. */
const promiseTwice: Sabotage = (engine) =>
  withTable(engine, {
    put: (item, condition) => engine.table.put(item, item.sk.startsWith("promise#") ? undefined : condition),
  });

/** Each process derives different ids, so a repeated key finds no invocation (I7). */
const foreignIds: Sabotage = (engine) => {
  const own = engine.activeInvocations.newToken();
  const derive: Engine["ids"]["derive"] = (parts, size) => engine.ids.derive([...parts, own], size);
  return { ...engine, ids: { random: (size) => engine.ids.random(size), derive } };
};

/** A give-back is not conditional on the holder (I6). */
const blindHandover: Sabotage = (engine) =>
  withTable(engine, {
    update(key, update, condition) {
      const isHandover = key.sk === "lock" && (update.set?.["held"] === 0 || update.set?.["head"] !== undefined);
      return engine.table.update(key, update, isHandover ? undefined : condition);
    },
  });

/** A process goes on reading the lock with the state as it first read it. */
const staleState: Sabotage = (engine) => {
  const read = new Map<string, Item | undefined>();
  return withTable(engine, {
    async get(key) {
      if (key.sk !== "lock") return await engine.table.get(key);
      if (!read.has(key.pk)) read.set(key.pk, await engine.table.get(key));
      return read.get(key.pk);
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
      return engine.table.update(key, { ...update, set }, condition);
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

test.each<[string, Sabotage, number]>([
  ["a promise that two resolves complete", promiseTwice, 3],
  ["ids that differ from process to process", foreignIds, 1],
  ["a give-back without its condition", blindHandover, 8],
  ["a lock that is read once", staleState, 1],
  ["a change of state that the give-back drops", lostState, 1],
])("the histories catch %s", async (_, sabotage, first) => {
  const caught = await isCaught(sabotage, seedsToTry(first, 200));
  console.log(`caught by history ${caught}`);
  expect(caught).toBeDefined();
});
