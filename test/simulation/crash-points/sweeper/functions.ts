/** What the functions of a shared table do in bounded time: passes that hand slices over, ordered passes, and short batches. */
import type { At, Client } from "../client.ts";
import type { Fault } from "../point.ts";
import { CHANGES, ENDED, type Expected, type Scenario, SCENARIOS } from "../scenarios.ts";

const DESK: At = { service: "Desk" };
/** More than a pass looks at in its time, if each look takes `LOOK_MS`. */
const MANY = 18;
const LOOK_MS = 6_000;
const HOUR_MS = 3_600_000;
/** A quarter of an hour, after which the sweeper looks at what was accepted and not begun. */
const QUARTER_DAYS = 1 / 96;

const times = (least: number, most: number, ...outcomes: string[]): Expected => ({ count: [least, most], outcomes });
const LABELS = Array.from({ length: MANY }, (_, at) => `["<r1>",${at}]`);
const IN_PASSES: readonly Fault[] = [
  "before",
  "after",
  "after-with-lost-reply",
  "throttled",
  "unreadable",
  "stale",
  "time-is-up",
];
/** The records of a pass and of the slice that has entries, and the first look at each entry. */
const OF_PASSES = /sweeper (everything|passing|listed|slice#listing#\d+#0-0#\d+#inv)|^slices\.send .*#inv/;

async function sendMany(client: Client): Promise<void> {
  const numbers = Array.from({ length: MANY }, (_, at) => at);
  await Promise.all(numbers.map((at) => client.send("label", { at: DESK, input: at, key: String(at) })));
}

const PASSED: readonly Scenario[] = [
  {
    name: "many sends whose messages are lost",
    async play(client) {
      await sendMany(client);
      await client.off(QUARTER_DAYS);
    },
    expected: { label: times(MANY, MANY, ...LABELS) },
    losesHints: true,
    at: OF_PASSES,
    life: { worksFrom: 1, examined: 1, lookMs: LOOK_MS, faults: IN_PASSES },
  },
  {
    name: "many sends whose messages are lost, and looks that fail",
    async play(client) {
      await sendMany(client);
      await client.off(QUARTER_DAYS);
    },
    expected: { label: times(MANY, MANY, ...LABELS) },
    losesHints: true,
    at: /^table\.(query inv#|getMany )/,
    life: { worksFrom: 1, examined: 1, lookMs: LOOK_MS, faults: ["after-with-lost-reply"] },
  },
  {
    name: "a restored table, and an ordered pass over everything",
    isFirst: true,
    async play(client) {
      await client.send("sender", { input: 0, key: "k" });
      await client.wait(1_000);
      await client.sweepAll();
    },
    expected: { sender: times(1, 1, '"<sent>"'), one: times(1, 1, '"<r1>"') },
    diesAfter: ENDED,
    losesHints: true,
    at: /^table\.(get|getMany|query|put|update|delete) /,
    life: { downMs: 20 * HOUR_MS, faults: IN_PASSES },
  },
];

/** Scenarios whose invocations do not end within one batch of messages. */
const IN_BATCHES: ReadonlySet<string> = new Set([
  "plain call",
  "sleep",
  "call of a child",
  "chain of three",
  "awakeable",
  "cancel while sleeping",
  "retry in the driver",
  "race of three calls",
]);

export const FUNCTIONS: readonly Scenario[] = [
  ...PASSED,
  ...SCENARIOS.filter(({ name }) => IN_BATCHES.has(name)).map((scenario) => ({
    ...scenario,
    isFirst: false,
    at: CHANGES,
    life: { workedMs: 1_500 },
  })),
];
