/** Tests the checks of runs with keys: a bug planted into the lock shows in no run without faults, but at a crash point. */
import type { Condition, Table } from "../../../shared/engine/ports/table.ts";
import { acting } from "../../planted/acts.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { withTable } from "../../planted/with-table.ts";
import { KEYED_SCENARIOS } from "./keyed-scenarios.ts";
import { expectCaughtAtAPoint } from "./caught-at-a-point.ts";
import type { Sabotage } from "./world.ts";

const OBJECT_WRITTEN = /^table\.(put|update) obj#/;

/** Makes updates of a lock without the conditions that `drops` selects. */
const without =
  (drops: (set: Readonly<Record<string, unknown>>, condition: Condition) => boolean): Sabotage =>
  (engine) => {
    const { table } = engine;
    const cut = (condition: Condition, set: Readonly<Record<string, unknown>>): Condition | undefined => {
      if (drops(set, condition)) return acting(undefined);
      if (condition.kind !== "all") return condition;
      return { kind: "all", of: condition.of.flatMap((one) => cut(one, set) ?? []) };
    };
    const update: Table["update"] = (key, change, condition) => {
      if (key.sk !== "lock" || condition === undefined) return table.update(key, change, condition);
      return table.update(key, change, cut(condition, change.set ?? {}));
    };
    return withTable(engine, { update });
  };

/** The hand-over is not conditional on holder and grant (I6). */
const blindHandOver = without((set) => set["head"] !== undefined && set["holder"] !== undefined);

/** The key is freed although a ticket was drawn since the lock was read. */
const freedWithoutTail = without(
  (set, condition) => set["held"] === 0 && condition.kind === "equal" && condition.attribute === "tail",
);

/** A change of state is applied although a later one is stored. */
const appliedAgain = without((_, condition) => condition.kind === "less" && condition.attribute === "applied");

/** An acceptor whose ticket was voided assumes that it has a place in the queue. */
const noOtherTicket: Sabotage = (engine) => {
  const { table } = engine;
  const put: Table["put"] = async (item, condition) => {
    const written = await table.put(item, condition);
    const isRefused = item.sk.startsWith("inbox#") && item["void"] !== true && !written.written;
    return isRefused ? acting({ written: true }) : written;
  };
  return withTable(engine, { put });
};

const PLANTED: readonly {
  readonly what: string;
  readonly sabotage: Sabotage;
  readonly scenario: string;
  /** The complaint that the judge must make. */
  readonly complaint: RegExp;
}[] = [
  {
    what: "a hand-over that does not check the grant",
    sabotage: blindHandOver,
    scenario: "contended key",
    complaint:
      /was given away|holds .* still|tickets of .* not served|something is left|until all was quiet|the state of/,
  },
  {
    what: "a give-back that overlooks a ticket",
    sabotage: freedWithoutTail,
    scenario: "one key, one after another",
    complaint: /tickets of .* were not served|until all was quiet/,
  },
  {
    what: "a state that is applied twice",
    sabotage: appliedAgain,
    scenario: "state changed step by step",
    complaint: /the state of k is/,
  },
  {
    what: "a void ticket that is taken for a place in the queue",
    sabotage: noOtherTicket,
    scenario: "contended key",
    complaint: /until all was quiet/,
  },
];

plantedTests(import.meta.filename, PLANTED, async ({ sabotage, scenario: name, complaint }) => {
  const scenario = KEYED_SCENARIOS.find((one) => one.name === name)!;
  await expectCaughtAtAPoint(scenario, complaint, { sabotage, at: OBJECT_WRITTEN });
});
