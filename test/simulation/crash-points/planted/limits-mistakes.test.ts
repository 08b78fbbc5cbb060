/** Mistakes with places and starts that show only at a crash point (I13): each loses what a dead process has left. */
import { holderOf, takenIn } from "../../../../shared/engine/store/pool-items.ts";
import { acting } from "../../../planted/acts.ts";
import { plantedTests } from "../../../planted/planted-tests.ts";
import { withTable } from "../../../planted/with-table.ts";
import { LIMITS } from "../limits/limits.ts";
import { FAULTS } from "../point.ts";
import type { Sabotage } from "../world.ts";
import { expectCaughtAtAPoint } from "../caught-at-a-point.ts";

/** A process does not find the places that were taken before it began, except when it looks for a free one. */
const forgottenPlaces: Sabotage = (engine, generation) => {
  if (generation === 1) return engine;
  const own = new Set<string>();
  return withTable(engine, {
    async update(key, update, condition) {
      const updated = await engine.table.update(key, update, condition);
      for (const value of Object.values(update.set ?? {})) if (key.sk === "places") own.add(String(value));
      if (!updated.written || key.sk !== "places") return updated;
      const gone = takenIn(updated.item).filter(([, holder]) => holder !== "-" && !own.has(holder));
      return gone.length === 0 ? updated : acting(updated);
    },
    async get(key) {
      const item = await engine.table.get(key);
      if (key.sk !== "places" || item === undefined) return item;
      const former = takenIn(item).filter(([, holder]) => holder !== "-" && !own.has(holder));
      return former.length === 0 ? item : acting({ ...item, ...unknown(former) });
    },
  });
};

/** The places name another life. */
function unknown(former: ReturnType<typeof takenIn>): Record<string, string> {
  return Object.fromEntries(
    former.map(([place, holder]) => [`p${place}`, holder.replace(holderOf(holder).nonce, "AAAAAAAAAAA")]),
  );
}

/** A process that takes over sends no message to those who have a place and wait. */
const noSecondWake: Sabotage = (engine, generation) =>
  generation === 1
    ? engine
    : withTable(engine, {
        async get(key) {
          const item = await engine.table.get(key);
          return key.sk.startsWith("hold#") && String(item?.["waitsAt"]).startsWith("place ")
            ? acting({ ...item!, waitsAt: "" })
            : item;
        },
      });

/** One that is killed leaves its turn in the line, if the killer died. */
const turnLeftByKiller: Sabotage = (engine, generation) =>
  generation === 1
    ? engine
    : withTable(engine, {
        delete: (key, condition) =>
          key.sk.startsWith("turn#") ? Promise.resolve(acting({ written: true })) : engine.table.delete(key, condition),
      });

const POOLS_WRITTEN = /^table\.(put|update|delete) (pool#|inv#.+ with the end)/;

const PLANTED: readonly {
  readonly what: string;
  readonly sabotage: Sabotage;
  readonly scenario: string;
  readonly complaint: RegExp;
}[] = [
  {
    what: "a place that a process which takes over does not find",
    sabotage: forgottenPlaces,
    scenario: "two of one place",
    complaint: /a place of service:Sim names|something is left|until all was quiet|no place of/,
  },
  {
    what: "a giver's successor that wakes no one",
    sabotage: noSecondWake,
    scenario: "two of one place",
    complaint: /until all was quiet/,
  },
  {
    what: "a turn that stays after a death",
    sabotage: turnLeftByKiller,
    scenario: "one of three is killed while it waits for a place",
    complaint: /a turn is left/,
  },
];

plantedTests(import.meta.filename, PLANTED, async ({ sabotage, scenario: name, complaint }) => {
  const scenario = LIMITS.find((one) => one.name === name)!;
  await expectCaughtAtAPoint(scenario, complaint, { sabotage, faults: FAULTS, at: POOLS_WRITTEN });
});
