/** Tests the simulation: it catches an engine with a planted mistake within a stated number of seeds. */
import type { Condition, Item, Key, Range, Update, Write } from "../../../shared/engine/ports/table.ts";
import { acting } from "../../planted/acts.ts";
import { blindHandover, foreignIds, forgottenMessages } from "../../planted/mistakes.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { withTable } from "../../planted/with-table.ts";
import { run } from "./run.ts";
import { expectCaught, seedsToTry } from "./seeds-to-try.ts";
import type { Sabotage } from "./running.ts";

const ACCEPTANCE = "seg#000000";
const ARRIVALS = "arr$";

/** The fence is off: the put of a segment has no condition (I1). */
const noFence: Sabotage = (engine) =>
  withTable(engine, {
    put(item: Item, condition?: Condition) {
      const isFenced = item.sk.startsWith("seg#") && item.sk !== ACCEPTANCE;
      return engine.table.put(item, isFenced ? acting(undefined) : condition);
    },
  });

/** A driver does not look for arrivals after its park: the read that follows the park returns nothing (I4). */
const blindPark: Sabotage = (engine) => {
  const parked = new Set<string>();
  return withTable(engine, {
    put(item: Item, condition?: Condition) {
      if (item.sk.startsWith("hold#") && item["untilMs"] === 0) parked.add(item.pk);
      return engine.table.put(item, condition);
    },
    async query(pk: string, range?: Range) {
      if (range?.below === ARRIVALS && parked.delete(pk)) return acting({ items: [] });
      return engine.table.query(pk, range);
    },
  });
};

/** The partition of a key is named without the scope, so that keys of several scopes share their lock and their state. */
const forgottenScope: Sabotage = (engine) => {
  const { get, query, put, update, delete: remove, transact } = engine.table;
  const pkOf = (pk: string): string => (/^obj#\w+@/.test(pk) ? acting(pk.replace(/@\w+/, "")) : pk);
  const moved = <K extends Key>(key: K): K => ({ ...key, pk: pkOf(key.pk) });
  return withTable(engine, {
    get: (key: Key) => get(moved(key)),
    query: (pk: string, range?: Range) => query(pkOf(pk), range),
    put: (item: Item, condition?: Condition) => put(moved(item), condition),
    update: (key: Key, changes: Update, condition?: Condition) => update(moved(key), changes, condition),
    delete: (key: Key, condition?: Condition) => remove(moved(key), condition),
    transact: (writes: readonly Write[]) =>
      transact(
        writes.map((write) =>
          "item" in write ? { ...write, item: moved(write.item) } : { ...write, key: moved(write.key) },
        ),
      ),
  });
};

const PLANTED = [
  {
    what: "a key whose partition forgets the scope",
    sabotage: forgottenScope,
    first: 2,
    seeds: 50,
    complaint: /held its key|found .*, and the log of/,
  },
  { what: "segments without a fence", sabotage: noFence, first: 1, seeds: 200, complaint: /was changed \(I1\)/ },
  { what: "a park that does not look once more", sabotage: blindPark, first: 3, seeds: 200, complaint: /\(I4\)/ },
  {
    what: "a lock that is handed over unconditionally",
    sabotage: blindHandover,
    first: 39,
    seeds: 400,
    // Each complaint follows from an unconditional update, which sets back a lock or its queue.
    complaint: /given away|its grant does not grow|the queue of/,
  },
  { what: "ids that are each process's own", sabotage: foreignIds, first: 1, seeds: 200, complaint: /accepted twice/ },
  {
    what: "messages that die with their worker",
    sabotage: forgottenMessages,
    first: 5,
    seeds: 200,
    complaint: /left ready/,
  },
];

plantedTests(import.meta.filename, PLANTED, async ({ what, sabotage, first, seeds, complaint }) => {
  await expectCaught(
    what,
    seedsToTry(first, seeds),
    complaint,
    async (seed) => (await run({ seed, sabotage })).complaints,
  );
});
