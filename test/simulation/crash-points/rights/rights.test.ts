/**
 * Every scenario, played by functions that have no more rights on the table than on AWS: none of them tries more, and each right of the
 * table has a use.
 */
import { expect, test } from "vitest";
import { PARTITIONS, TABLE_RIGHTS, type PartitionKind } from "../../../../shared/config/table-rights.ts";
import { USED_RIGHTS } from "../../../harness/engine/table-within-rights.ts";
import { EXTENDED } from "../days/extended.ts";
import { diedFor, slept } from "../days/slept.ts";
import { KEYED_SCENARIOS } from "../keyed-scenarios.ts";
import { EDITS } from "../operations/edits.ts";
import { FORGETS } from "../operations/forgets.ts";
import { ORDERS } from "../operations/orders.ts";
import { SCHEDULES } from "../operations/schedules.ts";
import { TALKS } from "../operations/talks.ts";
import { UNSTARTED } from "../operations/unstarted.ts";
import { run } from "../run.ts";
import { SCENARIOS } from "../scenarios.ts";
import { FUNCTIONS } from "../sweeper/functions.ts";

const DAYS = 13;
const OPERATED = [...EDITS, ...FORGETS, ...ORDERS, ...SCHEDULES, ...TALKS, ...UNSTARTED];
const ALL = [
  ...SCENARIOS,
  ...KEYED_SCENARIOS,
  ...OPERATED,
  ...FUNCTIONS,
  ...EXTENDED,
  ...slept(DAYS),
  ...diedFor(DAYS),
];

/** The rights that no scenario uses, with what uses them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "ingress delete inv#":
    "contents of what never started: `accept`, `eraseUnstarted` (shared/engine/lease/erase-unstarted.ts)",
  "ingress delete obj#": "pieces of large values: test/engine/lock/object-state.test.ts",
  "worker delete obj#": "the same",
  "sweeper delete obj#": "the same",
  "worker delete inv#":
    "lease records of former lives that a slice meets: `removeGhost` (shared/engine/sweep/open-looks.ts)",
};

test.each(ALL)("$name: no function tries more than its role may", async (scenario) => {
  const { complaints } = await run({ scenario, ownership: "functions" });
  expect(complaints).toEqual([]);
});

test("each right to write or delete invocations and objects has a use", () => {
  const kinds = ["invocations", "objects", "sweeper"] as const satisfies readonly PartitionKind[];
  const granted = (["ingress", "admin", "worker", "sweeper"] as const).flatMap((role) =>
    (["writes", "deletes"] as const).flatMap((what) =>
      TABLE_RIGHTS[role][what]
        .filter((kind) => (kinds as readonly PartitionKind[]).includes(kind))
        .map((kind) => `${role} ${what.slice(0, -1)} ${PARTITIONS[kind].replace("*", "")}`),
    ),
  );
  const unused = granted.filter((right) => !USED_RIGHTS.has(right) && ELSEWHERE[right] === undefined);
  expect(unused).toEqual([]);
});
