/** Tests the simulation of topics: it catches each planted mistake within a stated number of seeds. */
import { vi } from "vitest";
import type { Engine } from "../../../shared/engine/engine.ts";
import type { SubscriptionState } from "../../../shared/core/topics/subscription-state.ts";
import type { Condition, Item, Write } from "../../../shared/engine/ports/table.ts";
import type { RecordBatch } from "../../../shared/engine/ports/topics.ts";
import { readKafka } from "../../../shared/engine/register/kafka-items.ts";
import { readPosition, writePosition } from "../../../shared/engine/topics/position-items.ts";
import { acting } from "../../planted/acts.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { withTable } from "../../planted/with-table.ts";
import { expectCaught, seedsToTry } from "../seeds/seeds-to-try.ts";
import { run } from "./run.ts";
import type { Sabotage } from "./world.ts";

vi.mock("../../../shared/adapters/kafka/client.ts", () => import("./client-of-site.ts"));

const isPosition = ({ pk }: Pick<Item, "pk">): boolean => pk.startsWith("topic#");

/** A change of each position that a process writes. */
function withPositions(change: (item: Item) => Item, keepsCondition = true): Sabotage {
  const engine = (sound: Engine): Engine =>
    withTable(sound, {
      put: (item: Item, condition?: Condition) =>
        isPosition(item)
          ? sound.table.put(acting(change(item)), keepsCondition ? condition : undefined)
          : sound.table.put(item, condition),
    });
  return { engine };
}

/** A batch carries no number of its own: it is judged by the reset that counts when it is accepted. */
const newestReset: Sabotage = {
  sink(sink, ground) {
    const newest = async <P extends Omit<RecordBatch, "records">>(of: P): Promise<P> => {
      const resetNumber = (await readKafka(ground)).stateOf(of.subscription.id).reset?.number ?? 0;
      return resetNumber === of.resetNumber ? of : acting({ ...of, resetNumber });
    };
    return {
      ...sink,
      accept: async (batch) => await sink.accept(await newest(batch)),
      beginningOf: async (of) => await sink.beginningOf(await newest(of)),
      moved: async (of, nextOffset) => await sink.moved(await newest(of), nextOffset),
    };
  },
};

/** The position moves before the records of the batch are accepted. */
const movedFirst: Sabotage = {
  sink: (sink, ground) => ({
    ...sink,
    async accept(batch) {
      const at = { id: batch.subscription.id, partition: batch.partition };
      const before = await readPosition(ground, at.id, at.partition);
      const nextOffset = (batch.records.at(-1)?.offset ?? -1) + 1;
      const { position } = before ?? { position: { skipped: 0, ...(batch.topicId && { topicId: batch.topicId }) } };
      const moved = { ...position, resetNumber: batch.resetNumber, nextOffset, writtenAtMs: Date.now() };
      await writePosition(ground, at, acting(moved), before);
      return await sink.accept(batch);
    },
  }),
};

/** A batch whose acceptance fails counts as accepted. */
const failedIsDone: Sabotage = {
  sink: (sink) => ({
    ...sink,
    async accept(batch) {
      const nextOffset = (batch.records.at(-1)?.offset ?? -1) + 1;
      const done = { kind: "accepted", nextOffset, accepted: 0, duplicates: 0, skipped: 0 } as const;
      return await sink.accept(batch).catch(() => acting(done));
    },
  }),
};

/** The broker's list of aborted transactions gets lost on its way to the reader. */
const noList: Sabotage = { site: (site) => (site.listsAborted ? acting({ ...site, listsAborted: false }) : site) };

/** An account of the room for records does not give back what it holds. */
const keptRoom: Sabotage = {
  budget(budget) {
    const open = budget.open.bind(budget);
    budget.open = (lane) =>
      Object.assign(open(lane), { shrink: () => acting(undefined), close: () => acting(undefined) });
  },
};

/** Each process derives other ids for records, so a batch that comes again does not find its invocations. */
const newIds: Sabotage = {
  engine(engine) {
    const own = engine.activeInvocations.newToken();
    const derive: Engine["ids"]["derive"] = (parts, size) =>
      engine.ids.derive(parts[0] === "rec" ? acting([...parts, own]) : parts, size);
    return { ...engine, ids: { random: (size) => engine.ids.random(size), derive } };
  },
};

/** A reset to offsets forgets the reset before it, for the partitions that it does not name, too. */
const formerForgotten: Sabotage = {
  engine(engine) {
    const forgetful = (write: Write): Write => {
      if (write.kind !== "put" || !String(write.item["json"]).includes('"former":')) return write;
      const { reset, ...state } = JSON.parse(String(write.item["json"])) as SubscriptionState;
      const { former: _, ...last } = reset!;
      return acting({ ...write, item: { ...write.item, json: JSON.stringify({ ...state, reset: last }) } });
    };
    const { meta } = engine;
    return { ...engine, meta: { ...meta, transact: (writes) => meta.transact(writes.map(forgetful)) } };
  },
};

const withoutLandmarks = ({ landmarks: _dropped, ...item }: Item): Item => item as Item;

const PLANTED = [
  { what: "a batch without the number of its reset", sabotage: newestReset, first: 345, complaint: /reset/ },
  { what: "a position that moves first", sabotage: movedFirst, first: 1, complaint: /is not accepted/ },
  { what: "a failed batch that counts as accepted", sabotage: failedIsDone, first: 45, complaint: /never accepted/ },
  { what: "no list of aborted transactions", sabotage: noList, first: 5, complaint: /its transaction is aborted/ },
  { what: "an account that gives nothing back", sabotage: keptRoom, first: 1, complaint: /holds room|never accepted/ },
  { what: "ids that are each process's own", sabotage: newIds, first: 1, complaint: /no invocation of a record/ },
  { what: "a reset that forgets the one before", sabotage: formerForgotten, first: 186, complaint: /reset/ },
  {
    what: "a position that is written unconditionally",
    sabotage: withPositions((item) => item, false),
    first: 8,
    complaint: /went back|is not accepted|never accepted/,
  },
  {
    what: "a position without landmarks",
    sabotage: withPositions(withoutLandmarks),
    first: 2,
    complaint: /never accepted/,
  },
];

const SEEDS_MAX = 480;

plantedTests(import.meta.filename, PLANTED, async ({ what, sabotage, first, complaint }) => {
  const complaintsOf = async (seed: number) => (await run({ seed, sabotage })).complaints;
  await expectCaught(what, seedsToTry(first, SEEDS_MAX), complaint, complaintsOf);
});
