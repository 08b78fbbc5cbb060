/** One seed, played from its first request until all is quiet, and judged at every step. */
import type { Item } from "../../../shared/engine/ports/table.ts";
import { START_MS } from "../virtual-clock.ts";
import { Clients } from "./clients.ts";
import { players } from "./deployments.ts";
import { heldKeys } from "./lock-rules.ts";
import { ParkRule } from "./park-rule.ts";
import { type Ask, drawPlan } from "./plan.ts";
import { Random } from "./random.ts";
import { Rules } from "./rules.ts";
import { verdict } from "./verdict.ts";
import { type Sabotage, World } from "./world.ts";

/** The real SDK is slower than the scripted one, and plays in so many of the seeds. */
const SDK_SHARE = 0.25;
/** From then on nothing goes wrong any more. */
const MISFORTUNE_MAX_MS = 180_000;
/** Whatever was lost, the sweeper finds it by then; nothing sleeps for so long that is not cancelled. */
const QUIET_BY_MS = 1_800_000;
const STEPS_MAX = 60_000;

export interface Run {
  readonly complaints: readonly string[];
  readonly steps: number;
  readonly mishaps: number;
  /** Virtual time until all was quiet. */
  readonly tookMs: number;
}

export interface Given {
  readonly seed: number;
  readonly sabotage?: Sabotage;
  readonly trace?: (line: string) => void;
}

export async function run({ seed, sabotage, trace = () => {} }: Given): Promise<Run> {
  const random = new Random(seed);
  const playing = random.chance(SDK_SHARE) ? "sdk" : "scripted";
  const plan = drawPlan(random);
  const world = new World(random, await players(playing), trace, sabotage);
  // Handlers write down the ends of their sleeps by the time of their own machine.
  const { now } = Date;
  Date.now = () => world.clock.nowMs();
  try {
    return await play(world, plan);
  } finally {
    Date.now = now;
  }
}

async function play(world: World, plan: readonly Ask[]): Promise<Run> {
  const { table, clock, fate } = world;
  const observer = world.observer();
  const rules = new Rules(table, observer, new ParkRule(table, observer, (mortal) => world.engineOf(mortal)));
  const clients = new Clients(world);
  world.trace(JSON.stringify(plan));
  world.start();
  clients.start(plan, (complaint) => rules.complaints.push(complaint));
  const visitors: Ask[] = [];
  let steps = 0;
  for (; steps < STEPS_MAX; steps++) {
    await breathe(world);
    await rules.check();
    if (rules.complaints.length > 0) break;
    if (leftIn(world, clients, rules) === undefined) {
      const visits = visitsIn(world, plan.concat(visitors));
      if (visits.length === 0) break;
      visitors.push(...visits);
      for (const visit of visits) clients.ask(visit, (complaint) => rules.complaints.push(complaint));
    }
    const passedMs = clock.nowMs() - START_MS;
    if (passedMs > MISFORTUNE_MAX_MS) fate.end();
    if (passedMs > QUIET_BY_MS || !clock.jump()) break;
  }
  const complaints = [...rules.complaints];
  if (complaints.length === 0) {
    const left = leftIn(world, clients, rules);
    if (left !== undefined) complaints.push(`${left}, after ${steps} steps`);
    complaints.push(...(await verdict(world, clients, plan.concat(visitors))));
  }
  return { complaints, steps, mishaps: fate.struck.length, tookMs: clock.nowMs() - START_MS };
}

/** What is left to do: requests, invocations, messages, drives, and entries of the open index. */
function leftIn(world: World, clients: Clients, rules: Rules): string | undefined {
  if (clients.isBusy) return "a client waits";
  if (rules.open > 0) return "an invocation is open";
  if (world.queue.size > 0) return "a message is in the queue";
  for (const { engine } of world.running) if (engine.drives.size > 0) return "something is driven";
  // A park that was written late may leave an entry of what has ended: the sweeper removes it when it is due.
  const nowMs = world.clock.nowMs();
  const isDue = ({ openPk, lookAtMs }: Item) => openPk !== undefined && Number(lookAtMs) <= nowMs;
  return world.table.all().some(isDue) ? "the open index has an entry" : undefined;
}

/**
 * A lock that was taken late may be held by what has ended. That does not hurt, as long as whoever comes next is served:
 * to each such key a visitor comes.
 */
function visitsIn(world: World, asked: readonly Ask[]): readonly Ask[] {
  const names = new Set(asked.map(({ program }) => program.name));
  return heldKeys(world.table.all()).flatMap((pk) => {
    const object = pk.split("#").at(-1)!;
    const program = { name: `v${object}`, steps: [], object };
    if (names.has(program.name)) return [];
    return [{ program, key: program.name, how: "call", atMs: 0, delayMs: 0 }];
  });
}

/** Lets everything run that can: only handlers take more than the promises that are ready. */
async function breathe({ endpoints }: World): Promise<void> {
  do await new Promise<void>((resolve) => setImmediate(resolve));
  while (endpoints.busy > 0);
}
