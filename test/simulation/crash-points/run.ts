/** One run of a scenario: it is played, optionally with a fault, in virtual time until no work is left. */
import { breathe } from "../breathe.ts";
import { START_MS } from "../virtual-clock.ts";
import { Client } from "./client.ts";
import { isQuiet, judge } from "./judge.ts";
import { PlaceWatch } from "./place-watch.ts";
import { type Point, type Strike, strikeAt, strikeFirst } from "./point.ts";
import type { Scenario } from "./scenarios.ts";
import { type Ownership, registry, type Sabotage, World } from "./world.ts";

const VIRTUAL_TIME_MAX_MS = 2 * 3_600_000;
const JUMPS_MAX = 20_000;
const DAY_MS = 86_400_000;
const LATE_BY_MS = 1.01 * DAY_MS;
const FAR_FUTURE_MS = 400 * DAY_MS;

export interface Run {
  /** The port calls of the examined process (`Life`). */
  readonly calls: readonly string[];
  /** The number of expired items in the table at each of these calls. */
  readonly expiredAt: readonly number[];
  /** The call at which the fault struck. */
  readonly struck: string | undefined;
  readonly complaints: readonly string[];
  /** Virtual time until no work was left. */
  readonly tookMs: number;
}

export interface Given {
  readonly scenario: Scenario;
  readonly ownership: Ownership;
  readonly point?: Point;
  readonly sabotage?: Sabotage;
}

export async function run({ scenario, ownership, point, sabotage }: Given): Promise<Run> {
  const { life } = scenario;
  const world = new World({ ownership, meta: await registry(ownership), sabotage, life });
  const watch = scenario.limited && new PlaceWatch(scenario.limited, world.table);
  world.table.whenWritten = watch && ((item) => watch.wrote(item));
  if (scenario.isFirst !== true) await world.settle();
  // The SDK computes the ends of its sleeps from the time of its own machine.
  const { now } = Date;
  Date.now = () => world.clock.nowMs();
  // A run provokes many errors, and nothing reads their stacks.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const strike = point && strikeAt(point);
    const { diesAfter, losesHints = false } = scenario;
    const { examined = diesAfter === undefined ? 0 : 1 } = life ?? {};
    const strikes: (Strike | undefined)[] = diesAfter === undefined ? [] : [strikeFirst(diesAfter, "after")];
    strikes[examined] = strike;
    world.start(strikes, losesHints);
    const client = new Client(world);
    const complaints: string[] = [];
    let played = false;
    scenario.play(client).then(
      () => (played = true),
      (error: unknown) => complaints.push(`a client failed: ${String(error)}`),
    );
    const quiet = async (): Promise<boolean> => complaints.length > 0 || (played && (await isQuiet(world)));
    let isOver = await passTime(world, quiet);
    const tookMs = workedMs(world);
    if (isOver && world.keptBack.length > 0) {
      bringLate(world);
      isOver = await passTime(world, quiet);
    }
    if (isOver && point?.fault === "late-after-death" && watch?.isLeftToNext() === true) {
      played = false;
      void scenario.limited!.next!(client).then(() => (played = true));
      isOver = await passTime(world, quiet);
    }
    if (!isOver) complaints.push("something is left to do");
    const faults = world.processes.reduce((sum, one) => sum + one.faults, 0);
    complaints.push(...(await judge(world, client, scenario, faults)), ...world.refusals, ...(watch?.judge() ?? []));
    const { calls, expiredAt, struck } = world.processes[examined]!;
    return { calls, expiredAt, struck, complaints, tookMs };
  } finally {
    Date.now = now;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Brings each kept message a day later, when all invocations are completed, together with a copy whose `wakeAtMs` is in the far
 * future.
 */
function bringLate({ clock, queue, keptBack }: World): void {
  clock.pass(LATE_BY_MS);
  for (const wake of keptBack.splice(0)) {
    queue.sendLate(wake, 0);
    queue.sendLate({ ...wake, wakeAtMs: clock.nowMs() + FAR_FUTURE_MS }, 0);
  }
}

/** @returns false if the end was not reached in bounded time */
async function passTime(world: World, isOver: () => Promise<boolean>): Promise<boolean> {
  const fromMs = workedMs(world);
  for (let jumps = 0; jumps < JUMPS_MAX; jumps++) {
    await breathe(world);
    if (await isOver()) return true;
    if (workedMs(world) - fromMs > VIRTUAL_TIME_MAX_MS || !world.clock.jump()) return false;
  }
  return false;
}

/** The time since the start, without long downtimes. */
function workedMs({ clock, spentDownMs }: World): number {
  return clock.nowMs() - START_MS - spentDownMs;
}
