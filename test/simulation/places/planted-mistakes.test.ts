/** Mistakes with places and starts that the search finds (I13): each breaks one condition, one write or one read of the engine. */
import { expect } from "vitest";
import type { RuleBook } from "../../../shared/core/limits/rule-book.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { holderOf, STAMP_BYTES, takenIn } from "../../../shared/engine/store/pool-items.ts";
import type { Condition, Item, Key, Update, Updated } from "../../../shared/engine/ports/table.ts";
import { acting } from "../../planted/acts.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { withTable } from "../../planted/with-table.ts";
import { type Bounds, explored } from "./explore.ts";
import type { Plan } from "./world.ts";

interface Planted extends Plan, Partial<Bounds> {
  readonly what: string;
  readonly sabotage: NonNullable<Plan["sabotage"]>;
  readonly complaint: RegExp;
}

type Change = (update: Update, condition: Condition | undefined, key: Key) => Promise<Updated> | undefined;

const FREE = "-";

/** Replaces some updates of the items with places. */
function withPlaces(engine: Engine, change: Change): Engine {
  return withTable(engine, {
    update: (key, update, condition) =>
      (key.sk === "places" ? change(update, condition, key) : undefined) ?? engine.table.update(key, update, condition),
  });
}

/** The place that an update changes, and from which holder to which. */
function changeIn({ set = {} }: Update, condition: Condition | undefined) {
  const [name, to] = Object.entries(set).find(([attribute]) => /^p\d+$/.test(attribute)) ?? [];
  const all = condition?.kind === "all" ? condition.of : [condition];
  const from = all.find((one) => one?.kind === "equal" && one.attribute === name);
  if (name === undefined || typeof to !== "string" || from?.kind !== "equal") return undefined;
  return { name, from: String(from.value), to };
}

function isOf(one: string, other: string): boolean {
  return one !== FREE && other !== FREE && holderOf(one).nonce === holderOf(other).nonce;
}

/** The mark of the line does not refuse a give-back. */
function overlookedMark(engine: Engine): Engine {
  return withPlaces(engine, (update, condition, key) =>
    condition?.kind === "all" && changeIn(update, condition)?.to === FREE
      ? engine.table.update(key, update, acting(condition.of[0]))
      : undefined,
  );
}

/** One who has marked the line goes on with the places as they were before. */
function noSecondRead(engine: Engine): Engine {
  let before: Item | undefined;
  let hasMarked = false;
  return withTable(engine, {
    async update(key, update, condition) {
      if (key.sk === "places" && update.set?.["line"] === 1) hasMarked = true;
      return await engine.table.update(key, update, condition);
    },
    async get(key) {
      if (key.sk === "places" && hasMarked && before !== undefined) {
        hasMarked = false;
        return acting(before);
      }
      const item = await engine.table.get(key);
      if (key.sk === "places") before = item;
      return item;
    },
  });
}

/** A driver does not learn that it has lost its lease, when it changes a place of another driver. */
function trustedLease(engine: Engine): Engine {
  return withTable(engine, {
    get: (key) => (key.sk.startsWith("hold#") ? Promise.resolve(acting(undefined)) : engine.table.get(key)),
  });
}

/** One who frees a place frees it under whatever stamp it has by then. */
function ignoredStamp(engine: Engine): Engine {
  return withPlaces(engine, (update, condition, key) => {
    const change = changeIn(update, condition);
    if (change === undefined || change.from === FREE || isOf(change.from, change.to)) return undefined;
    return (async () => {
      const stored = (await engine.table.get(key))?.[change.name];
      if (typeof stored !== "string" || stored === change.from || !isOf(stored, change.from))
        return await engine.table.update(key, update, condition);
      return await engine.table.update(key, update, acting({ kind: "equal", attribute: change.name, value: stored }));
    })();
  });
}

/** A place is not given back. */
function keptPlace(engine: Engine): Engine {
  return withPlaces(engine, (update, condition, key) =>
    changeIn(update, condition)?.to === FREE ? Promise.resolve(acting({ written: true, item: { ...key } })) : undefined,
  );
}

/** The turn of one that got a place stays in the line. */
function keptTurn(engine: Engine): Engine {
  return withTable(engine, {
    delete: (key, condition) =>
      key.sk.startsWith("turn#") ? Promise.resolve(acting({ written: true })) : engine.table.delete(key, condition),
  });
}

/** One that got a place gets no message. */
function forgottenWake(engine: Engine): Engine {
  let hands = false;
  const send: Engine["queue"]["send"] = async (wake) => {
    if (!hands) return await engine.queue.send(wake);
    hands = false;
    return acting("");
  };
  const left = withTable(engine, {
    async delete(key, condition) {
      const left = await engine.table.delete(key, condition);
      hands = key.sk.startsWith("turn#") && left.written;
      return left;
    },
  });
  return { ...left, queue: { ...engine.queue, send } };
}

/** A place is taken without a look at who has it. */
function blindTake(engine: Engine): Engine {
  return withPlaces(engine, (update, condition, key) =>
    changeIn(update, condition)?.from === FREE ? engine.table.update(key, update, acting(undefined)) : undefined,
  );
}

/** A driver that takes over uses the place of another driver as it is. */
function oldStamp(engine: Engine): Engine {
  const random = (size: number): Uint8Array =>
    size === STAMP_BYTES ? acting(new Uint8Array(size)) : engine.ids.random(size);
  return { ...engine, ids: { derive: engine.ids.derive.bind(engine.ids), random } };
}

/** The rules that the first worker of each world has read. */
const READ_FIRST = new WeakMap<object, RuleBook>();

/** The rules that were read once count for ever. */
function oldRules(engine: Engine, world: object): Engine {
  const { registry } = engine;
  const known = (now: RuleBook): RuleBook => {
    const first = READ_FIRST.get(world) ?? now;
    READ_FIRST.set(world, first);
    return JSON.stringify(first.rules) === JSON.stringify(now.rules) ? now : acting(first);
  };
  const rules = async () => known(await registry.rules());
  const rulesNow = async () => known(await registry.rulesNow());
  return { ...engine, registry: { ...registry, rules, rulesNow } };
}

/** A holder beyond the limit does not count. */
function uncountedBeyond(engine: Engine): Engine {
  return withTable(engine, {
    async get(key) {
      const item = await engine.table.get(key);
      if (key.sk !== "places" || item === undefined) return item;
      const [places = Infinity] = (await engine.registry.rules()).rules.flatMap(({ pattern, limits }) =>
        pattern === "service:S" ? (limits.concurrency ?? []) : [],
      );
      const beyond = takenIn(item).filter(([place, holder]) => place >= places && holder !== FREE);
      if (beyond.length === 0) return item;
      return acting({ ...item, ...Object.fromEntries(beyond.map(([place]) => [`p${place}`, FREE])) });
    },
  });
}

/** A change of the rule does not count what runs already. */
function uncountedRunning(engine: Engine): Engine {
  const activeInvocations = new Proxy(engine.activeInvocations, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      if (property === "all" && target.size > 0) return () => acting([]);
      return value.bind(target) as unknown;
    },
  });
  return { ...engine, activeInvocations };
}

/** The holders that each process has found at its first look. */
const FOUND = new WeakMap<object, ReadonlySet<string>>();

/** A sole owner takes the places that its predecessor has left for free ones. */
function forgottenPlaces(engine: Engine): Engine {
  return withTable(engine, {
    async get(key) {
      const item = await engine.table.get(key);
      if (key.sk !== "places") return item;
      const holders = takenIn(item).filter(([, holder]) => holder !== FREE);
      const found = FOUND.get(engine.activeInvocations) ?? new Set(holders.map(([, holder]) => holder));
      FOUND.set(engine.activeInvocations, found);
      const hidden = holders.filter(([, holder]) => found.has(holder));
      if (item === undefined || hidden.length === 0) return item;
      return acting({ ...item, ...Object.fromEntries(hidden.map(([place]) => [`p${place}`, FREE])) });
    },
  });
}

/** A token is taken although another has changed the bucket. */
function blindToken(engine: Engine): Engine {
  return withTable(engine, {
    update: (key, update, condition) =>
      engine.table.update(key, update, key.sk === "bucket" ? acting(undefined) : condition),
  });
}

const TWO = { lives: ["ends", "ends"], places: 1 } as const;
const LOWERED = { lives: ["ends", "ends", "ends"], places: 2, changes: [1] } as const;
const LATE = { places: 1, leases: 1 } as const;

const PLANTED: readonly Planted[] = [
  { what: "a give-back that overlooks the mark", ...TWO, sabotage: overlookedMark, complaint: /waits|turn is left/ },
  { what: "a joiner that does not read again after its mark", ...TWO, sabotage: noSecondRead, complaint: /waits/ },
  {
    what: "a driver that does not ask who has the lease",
    ...LATE,
    lives: ["wavers"],
    sabotage: trustedLease,
    complaint: /counts/,
  },
  {
    what: "a place that is freed under any stamp",
    ...LATE,
    lives: ["fails"],
    sabotage: ignoredStamp,
    complaint: /counts/,
  },
  {
    what: "a place of another driver that is used without a new stamp",
    ...LATE,
    lives: ["fails"],
    sabotage: oldStamp,
    complaint: /counts/,
  },
  { what: "rules that are read once for ever", ...LOWERED, sabotage: oldRules, complaint: /begin/ },
  {
    what: "a holder beyond a lowered limit that does not count",
    ...LOWERED,
    sabotage: uncountedBeyond,
    complaint: /begin/,
  },
  {
    what: "a park that keeps its place",
    ...TWO,
    lives: ["sleeps", "ends"],
    sabotage: keptPlace,
    complaint: /waits|names|do not end/,
  },
  {
    what: "a change of the rule that does not count what runs",
    isSole: true,
    lives: ["ends", "ends"],
    places: "none",
    changes: [1],
    sabotage: uncountedRunning,
    complaint: /begins beside/,
  },
  {
    what: "places of a process that has died, which its successor takes for free",
    ...TWO,
    isSole: true,
    deaths: 1,
    sabotage: forgottenPlaces,
    complaint: /waits|names|do not end/,
  },
  {
    what: "a place of a sole owner that is taken blindly",
    ...TWO,
    isSole: true,
    sabotage: blindTake,
    complaint: /begins beside|counts/,
  },
  { what: "a hand-over that keeps the turn", ...TWO, sabotage: keptTurn, complaint: /turn is left|waits/ },
  { what: "a hand-over that sends no message", ...TWO, sabotage: forgottenWake, complaint: /waits/ },
  { what: "a place that is taken blindly", ...TWO, sabotage: blindTake, complaint: /counts/ },
  { what: "a token that is taken blindly", ...TWO, isRate: true, sabotage: blindToken, complaint: /have begun/ },
];

plantedTests(import.meta.filename, PLANTED, async ({ complaint, ...plan }) => {
  const { wrong } = await explored(plan, { switches: 2, looksMax: 0, statesMax: 8_000 });
  expect(wrong).toMatch(complaint);
});
