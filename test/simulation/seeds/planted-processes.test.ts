/** The wide seeds catch mistakes in how processes begin and end their work: functions on a shared table, and the sole owner of a store. */
import type { Item } from "../../../shared/engine/ports/table.ts";
import { acting } from "../../planted/acts.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { withTable } from "../../planted/with-table.ts";
import { run } from "./run.ts";
import { expectCaught, seedsToTry } from "./seeds-to-try.ts";
import type { Sabotage } from "./running.ts";

/** A function does not notice that its time is up, so it ends in the middle of its work. */
const timeless: Sabotage = (engine) => {
  engine.activeInvocations.stop = () => acting(undefined);
  return engine;
};

/** A suspect is tried without a mark, so no process learns which invocation its predecessor died of. */
const unmarked: Sabotage = (engine) =>
  withTable(engine, {
    async put(item: Item, condition) {
      if (!item.sk.startsWith("suspect#")) return engine.table.put(item, condition);
      return acting({ written: true, item });
    },
  });

const PLANTED = [
  {
    what: "a function that does not notice that its time is up",
    sabotage: timeless,
    first: 2,
    complaint: /goes on long after its time/,
  },
  { what: "a suspect that is tried without a mark", sabotage: unmarked, first: 35, complaint: /is left|is open/ },
];
const WITHIN_SEEDS = 200;

plantedTests(import.meta.filename, PLANTED, async ({ what, sabotage, first, complaint }) => {
  await expectCaught(
    what,
    seedsToTry(first, WITHIN_SEEDS),
    complaint,
    async (seed) => (await run({ seed, sabotage, wide: true })).complaints,
  );
});
