/** All crash points of a scenario: it is recorded once without a fault, then played to the end once for each point. */
import { pointsOf } from "./choose-points.ts";
import type { Limited } from "./place-watch.ts";
import { DAY_LATE, type Fault, NEVER_FIRES, type Point, REPEATED, THROTTLED } from "./point.ts";
import { run } from "./run.ts";
import type { Scenario } from "./scenarios.ts";
import type { Ownership, Sabotage } from "./world.ts";

export interface Coverage {
  /** How often each fault has struck. */
  readonly struck: ReadonlyMap<Fault, number>;
  readonly possible: number;
  /** Points at which the fault struck and after which all results were right. */
  readonly covered: number;
  /** One text for each failure, with the command that runs the point again. */
  readonly failures: readonly string[];
  /** The longest virtual time until no work was left, and its point. */
  readonly slowest: { readonly tookMs: number; readonly where: string };
}

/** `<ownership>/<scenario>/<call>/<fault>`, for the expiry of an item with its number at the end: only this point is run. `<ownership>/<scenario>`: only the points of this scenario are. */
const ONLY = process.env["CRASH_POINT"];
/** Of the points, only each one with a number that this number divides is run: for a quick look at many scenarios. */
const EVERY = Number(process.env["CRASH_POINTS_EVERY"] ?? 1);
/** False if the environment leaves points out. */
export const isWhole = ONLY === undefined && EVERY === 1;
/**
 * The longest delay that a fault may cause. If the message of an acceptance was lost, the sweeper looks at that acceptance after
 * five minutes.
 * No work may wait for the sweeper's look at all parked invocations, which comes after ten minutes.
 */
const DELAY_MAX_MS = 400_000;
/** The check interval (`worker.check-interval`), plus the time until the next pass of the sweeper has ended. */
const LOOKED_AT_WITHIN_MS = 662_000;
const SLOW_DELAY_MAX_MS = 30_000;
/**
 * `THROTTLED`: work waits for the end of the refusals and then for little more than a lease, but not for the next pass of the
 * sweeper, which comes later. `NEVER_FIRES`: the next pass finds the sleeper. `DAY_LATE`: the sweeper looks once per check
 * interval at an invocation whose message does not come. `slow`: the process lives, so the work waits for the late call and for
 * a lease, but for no look of the sweeper, which comes later.
 */
const DELAYS_MAX_MS: Partial<Record<Fault, number>> = {
  [THROTTLED]: 42_000,
  [NEVER_FIRES]: 62_000,
  [DAY_LATE]: LOOKED_AT_WITHIN_MS,
  slow: SLOW_DELAY_MAX_MS,
};
/**
 * On a shared table a repeated write costs no time, because the writer recognises its own item. On a store with one owner the
 * fault is artificial, because no client of such a store repeats writes. There the writer may take the refusal for a lost lease
 * and wait for the end of that lease.
 */
const REPEATED_DELAY_MAX_MS: Record<Ownership, number> = {
  "shared-table": 500,
  "open-on-shared-table": 500,
  functions: 500,
  "sole-owner": 30_000,
  "open-exchanges": 30_000,
};
const COMMAND = "npm run test:crash-points";

export interface Hunt {
  readonly sabotage?: Sabotage;
  /** The faults that strike; all by default. */
  readonly faults?: readonly Fault[];
  /** Stops after this number of failures. One failure suffices to show that the mistake is caught. */
  readonly failuresMax?: number;
  /** The calls that are struck; all by default. */
  readonly at?: RegExp;
  /** True begins with the last call. */
  readonly lastFirst?: true;
}

export async function crashPoints(
  ownership: Ownership,
  scenario: Scenario,
  { sabotage, faults: among, failuresMax = Infinity, at, lastFirst }: Hunt = {},
): Promise<Coverage> {
  const given = { scenario, ownership, ...(sabotage && { sabotage }) };
  const recorded = await run(given);
  let slowest = { tookMs: recorded.tookMs, where: "no fault" };
  if (recorded.complaints.length > 0) {
    const failure = `${scenario.name}, ${ownership}, no fault: ${recorded.complaints.join("; ")}`;
    return { struck: new Map(), possible: 1, covered: 0, failures: [failure], slowest };
  }
  const points = pointsOf(recorded, scenario, ownership).filter(
    (point) => among?.includes(point.fault) !== false && at?.test(recorded.calls[point.at]!) !== false,
  );
  const only = sabotage === undefined ? ONLY : undefined;
  const chosen = points.filter((point, number) =>
    only === undefined
      ? number % (sabotage === undefined ? EVERY : 1) === 0
      : [`${ownership}/${scenario.name}`, pathOf(ownership, scenario, point)].includes(only),
  );
  const failures: string[] = [];
  const times = new Map<Fault, number>();
  let tried = 0;
  for (const point of lastFirst === true ? chosen.toReversed() : chosen) {
    const { struck, complaints, tookMs } = await run({ ...given, point });
    tried++;
    if (struck !== undefined) times.set(point.fault, (times.get(point.fault) ?? 0) + 1);
    const expected = recorded.calls[point.at];
    if (tookMs > slowest.tookMs) slowest = { tookMs, where: `call ${point.at} (${expected}), ${point.fault}` };
    const wrong = [...complaints];
    if (struck !== expected) wrong.push(`the fault struck ${struck ?? "nothing"}`);
    if (tookMs > recorded.tookMs + delayMaxMs(point.fault, ownership, scenario))
      wrong.push(`it took ${Math.round(tookMs / 1000)} s until all was quiet`);
    if (wrong.length === 0) continue;
    failures.push(
      `${scenario.name}, ${ownership}, call ${point.at} (${expected}), ${point.fault}: ${wrong.join("; ")}\n` +
        `  again: CRASH_POINT='${pathOf(ownership, scenario, point)}' ${COMMAND}`,
    );
    if (failures.length >= failuresMax) break;
  }
  return { struck: times, possible: chosen.length, covered: tried - failures.length, failures, slowest };
}

/**
 * If a scenario loses every hint, only the sweeper finds the work. If the fault interrupts a pass of the sweeper, the work waits
 * until the sweeper looks at it again.
 */
function delayMaxMs(fault: Fault, ownership: Ownership, scenario: Scenario): number {
  const { losesHints, life, endedSleepMs = 0, limited } = scenario;
  if (losesHints === true || life !== undefined) return LOOKED_AT_WITHIN_MS;
  if (fault === REPEATED && limited !== undefined) return Math.max(REPEATED_DELAY_MAX_MS[ownership], anewMs(limited));
  return fault === REPEATED ? REPEATED_DELAY_MAX_MS[ownership] : (DELAYS_MAX_MS[fault] ?? DELAY_MAX_MS) + endedSleepMs;
}

/** Under a limit, one whose write was repeated may lose what it was given, and waits for it anew. */
function anewMs({ startsApartMs = 5_000 }: Limited): number {
  return 1.2 * startsApartMs;
}

function pathOf(ownership: Ownership, { name }: Scenario, { at, fault, item }: Point): string {
  return `${ownership}/${name}/${at}/${fault}${item === undefined ? "" : `/${item}`}`;
}
