/** The faults are judged: for each there is a mistake that shows only where this fault strikes, and it is caught. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { acceptanceItem, readAcceptance } from "../../../shared/engine/ledger/acceptance-record.ts";
import type { Condition, IndexName, Item, Key, Range, Table, Update } from "../../../shared/engine/ports/table.ts";
import type { Fault } from "./fate.ts";
import { run } from "./run.ts";
import type { Sabotage } from "./world.ts";

const TEST_MAX_MS = 120_000;
const ACCEPTANCE = "seg#000000";
const DAY_S = 86_400;
const HOUR_MS = 3_600_000;

function withTable(engine: Engine, change: Partial<Table>): Engine {
  return { ...engine, table: { ...engine.table, ...change } };
}

/** An acceptance as another process would have written it. */
function acceptedAt(engine: Engine, item: Item, createdAtMs: number): Item {
  const { acceptance, lease } = readAcceptance(item.pk.replace("inv#", "") as InvocationId, item);
  const { b } = acceptanceItem(engine.settings, { ...acceptance, createdAtMs }, lease, Number(item["expiresAtS"]));
  return { ...item, b };
}

/** A refusal of the store looks like any other error, so that a dead letter is paused for it. */
const namelessRefusals: Sabotage = (engine) => {
  const { table } = engine;
  const nameless =
    <A extends unknown[], T>(call: (...asked: A) => Promise<T>) =>
    (...asked: A): Promise<T> =>
      call(...asked).catch((error: unknown) => Promise.reject(new Error(String(error))));
  return withTable(engine, {
    get: nameless(table.get),
    query: nameless(table.query),
    put: nameless(table.put),
    update: nameless(table.update),
    delete: nameless(table.delete),
  });
};

/** A child is as old as the clock of its process says, also where its caller asked for it later by another clock (F11). */
const childrenOfLocalTime: Sabotage = (engine) =>
  withTable(engine, {
    put(item: Item, condition?: Condition) {
      const isChild =
        item.sk === ACCEPTANCE &&
        "callerId" in readAcceptance(item.pk.replace("inv#", "") as InvocationId, item).acceptance.source;
      const written = isChild ? acceptedAt(engine, item, engine.clock.nowMs()) : item;
      return engine.table.put(written, condition);
    },
  });

/** What a sweeper writes down before it tries something dangerous is not written. */
const noMark: Sabotage = (engine) =>
  withTable(engine, {
    async put(item: Item, condition?: Condition) {
      return /^(tried|trying)#/.test(item.sk) ? { written: true } : engine.table.put(item, condition);
    },
  });

/** A child is older than its caller's command for it, as if somebody else had made it: when its time is over it begins anew. */
const childrenOfOthers: Sabotage = (engine) =>
  withTable(engine, {
    put(item: Item, condition?: Condition) {
      const written = item.sk === ACCEPTANCE ? acceptedAt(engine, item, engine.clock.nowMs() - HOUR_MS) : item;
      return engine.table.put(written, condition);
    },
  });

/** A message that stands for a later moment is put off until then, whatever is to be done. */
const trustedMoments: Sabotage = (engine) => {
  const { queue } = engine;
  const receive: typeof queue.receive = async (...asked) => {
    const deliveries = await queue.receive(...asked);
    const isLater = ({ wake }: (typeof deliveries)[number]) => (wake.wakeAtMs ?? 0) > engine.clock.nowMs();
    for (const delivery of deliveries.filter(isLater)) {
      await queue.send({ ...delivery.wake, delayMs: 900_000 });
      await queue.ack(delivery.receipt);
    }
    return deliveries.filter((delivery) => !isLater(delivery));
  };
  return { ...engine, queue: { ...queue, receive } };
};

/** The sweeper finds nothing that sleeps: it counts on the schedules. */
const unseenSleepers: Sabotage = (engine) =>
  withTable(engine, {
    async queryIndex(index: IndexName, pk: string, range?: Range) {
      const page = await engine.table.queryIndex(index, pk, range);
      return { ...page, items: page.items.filter(({ wakeAtMs }) => wakeAtMs === undefined) };
    },
  });

/** Items of an invocation are written for two days beside its retention. */
const shortLives: Sabotage = (engine) => {
  const short = <T extends { readonly [attribute: string]: unknown }>(values: T, pk: string): T => {
    const { expiresAtS } = values;
    const mostS = Math.ceil(engine.clock.nowMs() / 1000) + 3 * DAY_S;
    if (typeof expiresAtS !== "number" || !pk.startsWith("inv#")) return values;
    return { ...values, expiresAtS: Math.min(expiresAtS, mostS) };
  };
  return withTable(engine, {
    put: (item: Item, condition?: Condition) => engine.table.put(short(item, item.pk), condition),
    update: (key: Key, update: Update, condition?: Condition) =>
      engine.table.update(key, update.set ? { ...update, set: short(update.set, key.pk) } : update, condition),
  });
};

const PLANTED: readonly {
  readonly what: string;
  readonly sabotage: Sabotage;
  readonly seeds: number;
  /** One of them has struck whenever there is a complaint. */
  readonly faults: readonly Fault[];
  readonly complaint: RegExp;
}[] = [
  {
    what: "a dead letter that is paused for a refusal of the store",
    sabotage: namelessRefusals,
    seeds: 2_000,
    faults: ["throttled-table", "throttled-open", "throttled-list"],
    complaint: /was paused/,
  },
  {
    what: "children of local time",
    sabotage: childrenOfLocalTime,
    seeds: 2_000,
    faults: ["skewed-clock"],
    complaint: /seg#000000 of .* was changed/,
  },
  {
    what: "a sweeper without its mark",
    sabotage: noMark,
    seeds: 500,
    faults: ["poisoned"],
    complaint: /has expired|is left|an invocation is open/,
  },
  {
    what: "children that begin anew when their time is over",
    sabotage: childrenOfOthers,
    seeds: 2_000,
    faults: ["message-day-late"],
    complaint: /seg#000000 of .* was changed/,
  },
  {
    what: "a worker that believes the moment of a message",
    sabotage: trustedMoments,
    seeds: 200,
    faults: ["message-of-future"],
    complaint: /a message is in the queue/,
  },
  {
    what: "a sweeper that does not see sleepers",
    sabotage: unseenSleepers,
    seeds: 500,
    faults: ["schedule-lost"],
    complaint: /is left (suspended|scheduled|backing-off)/,
  },
  {
    what: "items that live for two days",
    sabotage: shortLives,
    seeds: 200,
    faults: ["sweeper-rest"],
    complaint: /has expired, and it is open/,
  },
];

test.each(PLANTED)(
  "$what: caught within $seeds seeds",
  async ({ what, sabotage, seeds, faults, complaint }) => {
    for (let seed = 1; seed <= seeds; seed++) {
      const { complaints, struck } = await run({ seed, sabotage });
      if (!complaint.test(complaints.join("; "))) continue;
      console.log(`${what}: caught by seed ${seed}`);
      expect(struck.filter((fault) => faults.includes(fault))).not.toEqual([]);
      expect((await run({ seed })).complaints).toEqual([]);
      return;
    }
    expect.fail(`not caught by ${seeds} seeds`);
  },
  TEST_MAX_MS,
);
