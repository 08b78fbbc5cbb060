/** Tests the simulation: it catches an engine with a planted mistake within a stated number of seeds. */
import { expect } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { load } from "../../../shared/engine/store/load.ts";
import type { Condition, Item, Range } from "../../../shared/engine/ports/table.ts";
import { acting } from "../../planted/acts.ts";
import { blindHandover, foreignIds, forgottenMessages } from "../../planted/mistakes.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { withTable } from "../../planted/with-table.ts";
import { run } from "./run.ts";
import { seedsToTry } from "./seeds-to-try.ts";
import type { Sabotage } from "./world.ts";

const ACCEPTANCE = "seg#000000";
const ARRIVALS = "arr$";
const LOADED = "seg$";

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

/** A driver that takes over does not redo the effects of the last segment, unless the segment completes the invocation (I2). */
const noRedo: Sabotage = (engine) =>
  withTable(engine, {
    async query(pk: string, range?: Range) {
      const page = await engine.table.query(pk, range);
      const first = page.items.find(({ sk }) => sk === ACCEPTANCE);
      if (range?.below !== LOADED || first === undefined) return page;
      const loaded = await load(engine, pk.replace("inv#", "") as InvocationId);
      if (loaded?.invocation.phase.status === "completed") return page;
      const bare = { pk, sk: `hold#${String(first["n"])}`, base: -1, token: "", untilMs: 0, status: "running" };
      const hold = page.items.find(({ sk }) => sk === bare.sk) ?? bare;
      return acting({
        ...page,
        items: [{ ...hold, performed: 1e6 }, ...page.items.filter(({ sk }) => sk !== bare.sk)],
      });
    },
  });

const PLANTED = [
  { what: "segments without a fence", sabotage: noFence, first: 1, seeds: 200, complaint: /was changed \(I1\)/ },
  { what: "a park that does not look once more", sabotage: blindPark, first: 3, seeds: 200, complaint: /\(I4\)/ },
  { what: "a takeover without the last effects", sabotage: noRedo, first: 24, seeds: 200, complaint: /\(I2\)/ },
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
  let heard = "";
  for (const seed of seedsToTry(first, seeds)) {
    heard = (await run({ seed, sabotage })).complaints.join("; ");
    if (!complaint.test(heard)) continue;
    console.log(`${what}: caught by seed ${seed}`);
    break;
  }
  expect(heard).toMatch(complaint);
});
