/**
 * Draws the long stretch of some seeds: days in which the sweeper rests or makes few passes. Invocations stay open in these days:
 * they sleep, or wait for children, a key or an awakeable.
 */
import type { Ask } from "./plan.ts";
import { poisonedAsk } from "./poison.ts";
import type { Program, Step } from "./program.ts";
import type { Random } from "../random.ts";

const DAY_MS = 86_400_000;
/** The share of the seeds in which the sweeper rests for a week. */
export const REST_SHARE = 0.04;
const REST_MS = 7 * DAY_MS;
/** The items of an open invocation expire within this stretch, unless something extends their time to live. */
const POISONED_FOR_MS = 20 * DAY_MS;
/** The interval of the sweeper in the stretch of a poisoned seed: so long that the test of the seed is as quick as others. */
const SWEEP_EVERY_MS = DAY_MS / 4;

const BEGINNING = "far";
/** Sleeps end this long after the long stretch, when the sweeper runs again and can wake them. */
const BEYOND_MS = 300_000;
const KINDS = { sleeps: 3, wakes: 2, calls: 2, waits: 2, begins: 1, queues: 2 };
const ASKS_MAX = 3;

export interface Stretch {
  readonly forMs: number;
  /** Infinity if the sweeper rests. */
  readonly sweepEveryMs: number;
  /** The requests at the beginning of the seed. */
  readonly plan: readonly Ask[];
}

/** The stretch for messages that come a day late. When it begins, no invocation is open any more, so it needs no requests. */
export const NEXT_DAY: Stretch = { forMs: 1.01 * DAY_MS, sweepEveryMs: Infinity, plan: [] };

/** @returns the long stretch of the seed; undefined in most seeds */
export function drawStretch(random: Random, isPoisoned: boolean, isBound: boolean): Stretch | undefined {
  const rests = random.chance(isBound ? 1 : REST_SHARE);
  if (!isPoisoned && !rests) return undefined;
  const forMs = isPoisoned ? POISONED_FOR_MS : REST_MS;
  const plan = [...(isPoisoned ? [poisonedAsk(random)] : []), ...drawFarPlan(random, forMs)];
  return { forMs, sweepEveryMs: isPoisoned ? SWEEP_EVERY_MS : Infinity, plan };
}

export function isFar(name: string): boolean {
  return name.startsWith(BEGINNING);
}

/** @param forMs how long the invocations stay open; some of them end after half of this time */
function drawFarPlan(random: Random, forMs: number): readonly Ask[] {
  let drawn = 0;
  const program = (step: Step, object?: string): Program => ({
    name: `${BEGINNING}${drawn++}`,
    steps: [step, { do: "run", name: "s1", stumbles: 0, refuses: false }],
    ...(object !== undefined && { object }),
  });
  const ask = (of: Program, delayMs = 0): Ask => ({
    program: of,
    key: of.name,
    how: "send",
    atMs: random.between(0, 20_000),
    delayMs,
  });
  const sleep = { do: "sleep", ms: forMs + BEYOND_MS } as const;
  const draw = (): readonly Ask[] => {
    switch (random.weighted(KINDS)) {
      case "sleeps":
        return [ask(program(sleep))];
      case "wakes":
        return [ask(program({ do: "sleep", ms: forMs / 2 }))];
      case "calls":
        return [ask(program({ do: "call", of: program(sleep) }))];
      case "waits":
        return [ask(program({ do: "await", by: "outside-later", name: "s0", refuses: false }))];
      case "begins":
        return [ask(program({ do: "run", name: "s0", stumbles: 0, refuses: false }), forMs + BEYOND_MS)];
      case "queues": {
        const object = `${BEGINNING}${drawn}`;
        return [ask(program(sleep, object)), ask(program({ do: "sleep", ms: 5 }, object))];
      }
    }
  };
  return Array.from({ length: random.between(1, ASKS_MAX) }, draw).flat();
}
