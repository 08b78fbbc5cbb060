/** The seeds as tests: a share of them for each thread, in portions, each failure with the command that plays the seed again. */
import { afterAll, describe, expect, test } from "vitest";
import { leaveFigures, ONLY_SEED, seedsToPlay } from "../../drawn-runs.ts";
import { HARDSHIPS, MISHAPS } from "./fate.ts";
import { run } from "./run.ts";
import { expectNone } from "../../complaints.ts";

/** The number of seeds that one run of the gate plays. */
const SEEDS = 1_200;
/** `WIDE=all` makes every seed wide, and `WIDE=none` makes none wide. */
const WIDE = process.env["WIDE"];
/** With this number of seeds each kind of fault strikes. */
const SEEDS_FOR_ALL = 500;
const PORTION = 50;
const PORTION_MAX_MS = 3_600_000;
const COMMAND = "npm run test:simulation";

/** Each second pair of seeds is wide, so that both threads have as many wide seeds as others. */
function isWide(seed: number): boolean {
  return WIDE === "all" || (WIDE !== "none" && seed % 4 >= 2);
}

/** @param share a number from 0 to `of` - 1; the tests play the seeds that have this remainder after a division by `of` */
export function seedTests(share: number, of: number): void {
  const seeds = seedsToPlay(SEEDS);
  const mine = seeds.filter((seed) => seed % of === share);
  const portions = Array.from({ length: Math.ceil(mine.length / PORTION) }, (_, at) =>
    mine.slice(at * PORTION, (at + 1) * PORTION),
  );
  describe("whatever goes wrong, each accepted invocation ends once, with the right result", () => {
    const total = { steps: 0, mishaps: 0, quietAtMs: 0 };
    const struck = new Map<string, number>([...MISHAPS, ...HARDSHIPS].map((fault) => [fault, 0]));
    afterAll(() => {
      const minutes = Math.round(total.quietAtMs / 60_000);
      const byFault = [...struck].map(([fault, times]) => [`fault-${fault}`, times] as const);
      const figures = { seeds: mine.length, steps: total.steps, mishaps: total.mishaps, quietAfterMinutesMax: minutes };
      leaveFigures("seeds", { ...figures, ...Object.fromEntries(byFault) });
      console.log(
        `${mine.length} seeds, ${total.steps} steps, ${total.mishaps} mishaps, quiet after ${minutes} min at most\n` +
          [...struck].map(([fault, times]) => `${fault} ${times}`).join(", "),
      );
    });
    // This share may be empty only if a single seed was requested, and that seed belongs to another share.
    test.skipIf(ONLY_SEED !== undefined && mine.length === 0)("there are seeds", () =>
      expect(mine.length).toBeGreaterThan(0),
    );
    test.each(portions.map((portion) => ({ portion, from: portion[0], to: portion.at(-1) })))(
      "seeds $from to $to",
      async ({ portion }) => {
        const failures: string[] = [];
        for (const seed of portion) {
          const {
            complaints,
            steps,
            struck: faults,
            tookMs,
          } = await run({
            seed,
            wide: isWide(seed),
            ...(ONLY_SEED !== undefined && { trace: (line: string) => console.log(line) }),
          });
          total.steps += steps;
          total.mishaps += faults.length;
          for (const fault of faults) struck.set(fault, (struck.get(fault) ?? 0) + 1);
          total.quietAtMs = Math.max(total.quietAtMs, tookMs);
          if (complaints.length === 0) continue;
          const kinds = [...new Set(faults)].join(", ");
          failures.push(`${complaints.join("; ")}\n  behind ${kinds}\n  again: SEED=${seed} ${COMMAND}`);
        }
        expectNone(failures);
      },
      PORTION_MAX_MS,
    );
    test.skipIf(mine.length < SEEDS_FOR_ALL)("each fault has struck", () => {
      expect([...struck].flatMap(([fault, times]) => (times === 0 ? [fault] : []))).toEqual([]);
    });
  });
}
