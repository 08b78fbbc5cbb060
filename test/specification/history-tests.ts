/** The histories as tests: a share of them for each thread; a disagreement is shrunk and printed as plain operations. */
import { afterAll, describe, expect, test } from "vitest";
import { leaveFigures, ONLY_SEED, seedsToPlay } from "../drawn-runs.ts";
import { drawn, listed, play, type Played } from "./play.ts";
import { shrink } from "./shrink.ts";
import { historyText } from "./told.ts";
import { expectNone } from "../complaints.ts";

/** The number of histories that one run of the gate plays, and the operations of each. */
const HISTORIES = 1_000;
const OPERATIONS = 30;
const PORTION = 50;
/** Further disagreements of a portion would take long to shrink, and mostly show the same. */
const SHRUNK_MAX = 2;
const COMMAND = "npm run test:specification";
/** Histories on which specification and product are known to disagree, with the reason; one that agrees again fails. */
const KNOWN: ReadonlyMap<number, string> = new Map();

/** @param share a number from 0 to `of` - 1; the tests play the seeds that have this remainder after a division by `of` */
export function historyTests(share: number, of: number): void {
  const seeds = seedsToPlay(HISTORIES).filter((seed) => seed % of === share);
  const portions = Array.from({ length: Math.ceil(seeds.length / PORTION) }, (_, at) =>
    seeds.slice(at * PORTION, (at + 1) * PORTION),
  );
  describe("callers and operators see what the specification says", () => {
    const total: Record<string, number> = { histories: 0, operations: 0, possibleStatesMax: 0 };
    afterAll(() => {
      leaveFigures("specification", total);
      console.log(
        Object.entries(total)
          .map(([name, count]) => `${name} ${count}`)
          .join(", "),
      );
    });
    // This share may be empty only if a single seed was requested, and that seed belongs to another share.
    test.skipIf(ONLY_SEED !== undefined && seeds.length === 0)("there are histories", () =>
      expect(seeds.length).toBeGreaterThan(0),
    );
    test.each(portions.map((portion) => ({ portion, from: portion[0], to: portion.at(-1) })))(
      "histories $from to $to",
      async ({ portion }) => {
        const failures: string[] = [];
        for (const seed of portion) {
          const played = await play({ next: drawn(seed, OPERATIONS) });
          count(total, played);
          if (KNOWN.has(seed) && played.disagreement === undefined)
            failures.push(`seed ${seed} agrees, so it is not known for this any more: ${KNOWN.get(seed)}`);
          if (KNOWN.has(seed) || played.disagreement === undefined) continue;
          const told = failures.length < SHRUNK_MAX ? await toldSmaller(played) : "";
          failures.push(`${told}\n  again: SEED=${seed} ${COMMAND}`);
        }
        expectNone(failures);
      },
    );
  });
}

function count(total: Record<string, number>, { operations, statesMax }: Played): void {
  const add = (name: string, by: number): void => void (total[name] = (total[name] ?? 0) + by);
  add("histories", 1);
  add("operations", operations.length);
  for (const operation of operations) add(`operation-${operation.do}`, 1);
  total["possibleStatesMax"] = Math.max(total["possibleStatesMax"] ?? 0, statesMax);
}

/** @returns the smallest history found that still shows a disagreement about a thing of the same sort */
export async function toldSmaller({ operations, disagreement }: Played): Promise<string> {
  const sort = sortOf(disagreement);
  const smallest = await shrink(operations, async (smaller) => {
    const again = await play({ next: listed(smaller) });
    return again.disagreement !== undefined && sortOf(again.disagreement) === sort;
  });
  const { disagreement: left = disagreement! } = await play({ next: listed(smallest) });
  return historyText(smallest, left);
}

function sortOf(disagreement: Played["disagreement"]): string {
  const [first] = disagreement?.lines ?? [];
  if (first === undefined) return "";
  const { what, expected, actual } = first;
  return [what.split(" ")[0], expected, actual].join(" ").replaceAll(/[pd][\d.]+/g, "some");
}
