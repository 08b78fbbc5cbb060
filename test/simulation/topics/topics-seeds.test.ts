/** The seeds of topics as tests: each record becomes one invocation, whatever strikes readers, processes, broker and operators. */
import { afterAll, expect, test, vi } from "vitest";
import { leaveFigures, ONLY_SEED, seedsToPlay } from "../../drawn-runs.ts";
import { run } from "./run.ts";
import { expectNone } from "../../complaints.ts";

vi.mock("../../../shared/adapters/kafka/client.ts", () => import("./client-of-site.ts"));

const SEEDS = 240;
const PORTION = 60;
/** With this number of seeds each of these strikes. */
const SEEDS_FOR_ALL = 200;
const STRIKES: readonly string[] = [
  "refused,lost-reply,late-effect,sent-twice,slow,dies-before,dies-after,freezes",
  "produce,mark,compact,recreate,stranger,subscribe,remove,pause,resume,options",
  "reset to earliest,reset to latest,reset to offsets",
].flatMap((some) => some.split(","));
const COMMAND = "npm run test:simulation -- test/simulation/topics/topics-seeds.test.ts";

const seeds = seedsToPlay(SEEDS);
const portions = Array.from({ length: Math.ceil(seeds.length / PORTION) }, (_, at) =>
  seeds.slice(at * PORTION, (at + 1) * PORTION),
);
const total = { seeds: 0, steps: 0, mishaps: 0, accepted: 0 };
const struck = new Map<string, number>();

afterAll(() => {
  console.log(
    `${total.seeds} seeds, ${total.steps} steps, ${total.mishaps} mishaps, ${total.accepted} records accepted\n` +
      [...struck].map(([what, times]) => `${what} ${times}`).join(", "),
  );
  leaveFigures("topics-seeds", total);
});

test.each(portions.map((portion) => ({ portion, from: portion[0], to: portion.at(-1) })))(
  "seeds $from to $to: each committed record becomes one invocation, in order, under each reset",
  async ({ portion }) => {
    const failures: string[] = [];
    for (const seed of portion) {
      const trace = ONLY_SEED === undefined ? undefined : (line: string): void => console.log(line);
      const { complaints, steps, struck: faults, acts, accepted } = await run({ seed, ...(trace && { trace }) });
      total.seeds++;
      total.steps += steps;
      total.mishaps += faults.length;
      total.accepted += accepted;
      for (const what of [...faults, ...acts]) struck.set(what, (struck.get(what) ?? 0) + 1);
      if (complaints.length > 0)
        failures.push(
          `${complaints.join("; ")}\n  behind ${[...new Set(faults)].join(", ")}\n  again: SEED=${seed} ${COMMAND}`,
        );
    }
    expectNone(failures);
  },
);

// A shorter run has no such test, because a gate counts what is skipped.
if (seeds.length >= SEEDS_FOR_ALL)
  test("each fault has struck, and each act was done", () => {
    expect(STRIKES.filter((what) => !struck.has(what))).toEqual([]);
  });
