/** Tests the simulation: it catches an engine with a planted mistake within a stated number of seeds. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { load } from "../../../shared/engine/store/load.ts";
import type { Condition, Item, Key, Range, Table, Update } from "../../../shared/engine/ports/table.ts";
import { run } from "./run.ts";
import { seedsToTry } from "./seeds-to-try.ts";
import type { Sabotage } from "./world.ts";

const TEST_MAX_MS = 600_000;
const ACCEPTANCE = "seg#000000";
const ARRIVALS = "arr$";
const LOADED = "seg$";

function withTable(engine: Engine, change: Partial<Table>): Engine {
  const { get, getMany, query, queryIndex, partitions, put, update, delete: remove, transact } = engine.table;
  return {
    ...engine,
    table: { get, getMany, query, queryIndex, partitions, put, update, delete: remove, transact, ...change },
  };
}

/** The fence is off: the put of a segment has no condition (I1). */
const noFence: Sabotage = (engine) =>
  withTable(engine, {
    put(item: Item, condition?: Condition) {
      const isFenced = item.sk.startsWith("seg#") && item.sk !== ACCEPTANCE;
      return engine.table.put(item, isFenced ? undefined : condition);
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
      if (range?.below === ARRIVALS && parked.delete(pk)) return { items: [] };
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
      return { ...page, items: [{ ...hold, performed: 1e6 }, ...page.items.filter(({ sk }) => sk !== bare.sk)] };
    },
  });

/** A give-back is not conditional on the holder (I6). */
const blindHandover: Sabotage = (engine) =>
  withTable(engine, {
    update(key: Key, update: Update, condition?: Condition) {
      const isHandover = key.sk === "lock" && (update.set?.["held"] === 0 || update.set?.["head"] !== undefined);
      return engine.table.update(key, update, isHandover ? undefined : condition);
    },
  });

/** Each process derives different ids, so a repeated key does not find the invocation (I7). */
const foreignIds: Sabotage = (engine) => {
  const own = engine.activeInvocations.newToken();
  const derive: Engine["ids"]["derive"] = (parts, size) => engine.ids.derive([...parts, own], size);
  return { ...engine, ids: { random: (size) => engine.ids.random(size), derive } };
};

/** A received message is deleted at once, and the sweeper finds nothing (I8). */
const forgottenMessages: Sabotage = (engine) => {
  const { queue } = engine;
  const receive: typeof queue.receive = async (...asked) => {
    const deliveries = await queue.receive(...asked);
    await Promise.all(deliveries.map(({ receipt }) => queue.ack(receipt)));
    return deliveries;
  };
  return { ...withTable(engine, { queryIndex: async () => ({ items: [] }) }), queue: { ...queue, receive } };
};

const PLANTED = [
  { what: "segments without a fence", sabotage: noFence, first: 1, seeds: 200, complaint: /was changed \(I1\)/ },
  { what: "a park that does not look once more", sabotage: blindPark, first: 3, seeds: 200, complaint: /\(I4\)/ },
  { what: "a takeover without the last effects", sabotage: noRedo, first: 24, seeds: 200, complaint: /\(I2\)/ },
  {
    what: "a lock that is handed over unconditionally",
    sabotage: blindHandover,
    first: 98,
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

test.each(PLANTED)(
  "$what: caught within $seeds seeds",
  async ({ what, sabotage, first, seeds, complaint }) => {
    let heard = "";
    for (const seed of seedsToTry(first, seeds)) {
      heard = (await run({ seed, sabotage })).complaints.join("; ");
      if (!complaint.test(heard)) continue;
      console.log(`${what}: caught by seed ${seed}`);
      break;
    }
    expect(heard).toMatch(complaint);
  },
  TEST_MAX_MS,
);
