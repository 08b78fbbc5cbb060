/** Tests that some faults are of use: for each, the simulation catches a planted mistake in a seed that this fault strikes. */
import { expect } from "vitest";
import type { Condition, Item, Key, Update } from "../../../shared/engine/ports/table.ts";
import { acting } from "../../planted/acts.ts";
import { trustedMoments, unseenSleepers } from "../../planted/mistakes.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { withTable } from "../../planted/with-table.ts";
import type { Fault } from "./fate.ts";
import { run } from "./run.ts";
import { seedsToTry } from "./seeds-to-try.ts";
import type { Sabotage } from "./running.ts";
import type { Bound } from "./world.ts";

const DAY_S = 86_400;
const HOUR_MS = 3_600_000;

/** A refusal of the store looks like any other error, so the sweeper pauses the invocation of a dead letter at once. */
const namelessRefusals: Sabotage = (engine) => {
  const { table } = engine;
  const nameless =
    <A extends unknown[], T>(call: (...asked: A) => Promise<T>) =>
    (...asked: A): Promise<T> =>
      call(...asked).catch((error: unknown) => Promise.reject(acting(new Error(String(error)))));
  return withTable(engine, {
    get: nameless(table.get),
    query: nameless(table.query),
    put: nameless(table.put),
    update: nameless(table.update),
    delete: nameless(table.delete),
  });
};

/** A take does not require a greater grant than the last one, so only the clock of the claimant sets the grant (I6). */
const grantsOfLocalTime: Sabotage = (engine) =>
  withTable(engine, {
    update(key: Key, update: Update, condition?: Condition) {
      const isTake = key.sk === "lock" && update.set?.["held"] === 1;
      const free: Condition = { kind: "any", of: [{ kind: "absent" }, { kind: "equal", attribute: "held", value: 0 }] };
      return engine.table.update(key, update, isTake ? acting(free) : condition);
    },
  });

/** A sweeper does not record a look before the look begins, so a look that ends its process is not found. */
const noMark: Sabotage = (engine) =>
  withTable(engine, {
    async update(key: Key, update: Update, condition?: Condition) {
      if (update.set?.["trying"] === undefined) return engine.table.update(key, update, condition);
      return acting({ written: true, item: { ...key } });
    },
  });

/** A worker puts back a message of implausible age instead of looking at its invocation. */
const distrustedAge: Sabotage = (engine) => {
  const { queue } = engine;
  const receive: typeof queue.receive = async (...asked) => {
    const deliveries = await queue.receive(...asked);
    const isOld = ({ wake }: (typeof deliveries)[number]) => engine.clock.nowMs() - wake.sentAtMs > HOUR_MS;
    for (const { receipt } of deliveries.filter(isOld)) await queue.extend(receipt, acting(HOUR_MS));
    return deliveries.filter((delivery) => !isOld(delivery));
  };
  return { ...engine, queue: { ...queue, receive } };
};

/** Items of an invocation expire at most three days after they are written. */
const shortLives: Sabotage = (engine) => {
  const short = <T extends { readonly [attribute: string]: unknown }>(values: T, pk: string): T => {
    const { expiresAtS } = values;
    const mostS = Math.ceil(engine.clock.nowMs() / 1000) + 3 * DAY_S;
    if (typeof expiresAtS !== "number" || !pk.startsWith("inv#") || expiresAtS <= mostS) return values;
    return acting({ ...values, expiresAtS: mostS });
  };
  return withTable(engine, {
    put: (item: Item, condition?: Condition) => engine.table.put(short(item, item.pk), condition),
    update: (key: Key, update: Update, condition?: Condition) =>
      engine.table.update(key, update.set ? { ...update, set: short(update.set, key.pk) } : update, condition),
  });
};

interface Planted {
  readonly what: string;
  readonly sabotage: Sabotage;
  /** The fault, or the beginning of its name. */
  readonly fault: Fault | "throttled";
  /** Set if each seed of this test gets the fault; otherwise a seed gets the fault only if the seed draws it. */
  readonly bound?: Bound;
  /** The seed that is tried first. */
  readonly first: number;
  readonly seeds: number;
  readonly complaint: RegExp;
}

const PLANTED: readonly Planted[] = [
  {
    what: "a dead letter whose invocation is paused for a refusal of the store",
    sabotage: namelessRefusals,
    fault: "throttled",
    bound: "throttled",
    first: 276,
    seeds: 300,
    complaint: /was paused/,
  },
  {
    what: "a lock whose grants follow the clock alone",
    sabotage: grantsOfLocalTime,
    fault: "skewed-clock",
    bound: "skewed",
    first: 29,
    seeds: 300,
    complaint: /its grant does not grow/,
  },
  {
    what: "a sweeper that does not record its looks",
    sabotage: noMark,
    fault: "poisoned",
    bound: "poisoned",
    first: 2,
    seeds: 50,
    complaint: /has expired|is left|is open/,
  },
  {
    what: "a worker that puts an old message back",
    sabotage: distrustedAge,
    fault: "message-day-late",
    first: 62,
    seeds: 200,
    complaint: /a message is in the queue|a dead letter is left/,
  },
  {
    what: "a worker that trusts the moment in a message",
    sabotage: trustedMoments,
    fault: "message-of-future",
    first: 24,
    seeds: 200,
    complaint: /a message is in the queue/,
  },
  {
    what: "a sweeper that does not see sleepers",
    sabotage: unseenSleepers,
    fault: "schedule-lost",
    first: 306,
    seeds: 500,
    complaint: /is left (suspended|scheduled|backing-off)/,
  },
  {
    what: "items that live for at most three days",
    sabotage: shortLives,
    fault: "sweeper-rest",
    bound: "rested",
    first: 1,
    seeds: 50,
    complaint: /has expired, and it is open/,
  },
];

plantedTests(import.meta.filename, PLANTED, async ({ what, sabotage, fault, bound, first, seeds, complaint }) => {
  for (const seed of seedsToTry(first, seeds)) {
    const { complaints, struck } = await run({ seed, sabotage, bound });
    if (!complaint.test(complaints.join("; ")) || !struck.some((one) => one.startsWith(fault))) continue;
    console.log(`${what}: caught by seed ${seed}`);
    expect((await run({ seed, bound })).complaints).toEqual([]);
    return;
  }
  expect.fail(`not caught by ${seeds} seeds`);
});
