/**
 * Searches the orders in which the calls of a few workers take effect. The search goes down one order to its end, and then begins anew
 * with the last choice that has another way; a state that was seen before is not followed again.
 */
import { Random } from "../random.ts";
import { isWrite } from "./scheduled-table.ts";
import { Broken, type Plan, type Worker, World } from "./world.ts";

/** The most workers at a time: in all, and for one invocation. */
const WORKERS_MAX = 3;
const WORKERS_EACH_MAX = 2;

export interface Found {
  readonly states: number;
  readonly ends: number;
  /** True if each order was followed. */
  readonly isWhole: boolean;
  readonly wrong?: string;
}

interface Move {
  readonly what: string;
  readonly make: () => Promise<void> | void;
}

export interface Bounds {
  /** How often the search leaves a worker that could go on, as a scheduler of an operating system does. */
  readonly switches: number;
  readonly statesMax?: number;
  /** The looks of the sweeper within which all must end. */
  readonly looksMax: number;
}

export async function explored(plan: Plan, { switches, statesMax = Infinity, looksMax }: Bounds): Promise<Found> {
  const seen = new Set<string>();
  const open: number[][] = [[]];
  const begun = await World.of(plan);
  let ends = 0;
  const random = new Random(1);
  for (let path = taken(open, random); path !== undefined; path = taken(open, random)) {
    if (seen.size >= statesMax) return { states: seen.size, ends, isWhole: false };
    const run: Run = { world: begun.again(), current: undefined, left: switches };
    const way: string[] = [];
    try {
      for (let depth = 0; ; depth++) {
        const moves = movesOf(run);
        if (moves.length === 0) {
          ends++;
          way.push("the end");
          await run.world.finish(looksMax);
          break;
        }
        if (depth >= path.length) {
          const key = `${run.left} ${run.current} ${run.world.key()}`;
          if (seen.has(key)) break;
          seen.add(key);
          for (let other = moves.length - 1; other > 0; other--) open.push([...path, other]);
          path.push(0);
        }
        const move = moves[path[depth]!]!;
        way.push(move.what);
        await move.make();
        await run.world.settle();
      }
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      return { states: seen.size, ends, isWhole: false, wrong: `${error.message}:\n${way.join("\n")}` };
    }
  }
  return { states: seen.size, ends, isWhole: true };
}

/** In a random order, so that a bounded search sees choices of all depths. */
function taken(open: number[][], random: Random): number[] | undefined {
  const at = Math.floor(random.unit() * open.length);
  const [path, last] = [open[at], open.pop()];
  if (path !== undefined && path !== last) open[at] = last!;
  return path;
}

interface Run {
  readonly world: World;
  /** The worker whose call took effect last. */
  current: string | undefined;
  /** Switches that are left. */
  left: number;
}

/** The first move goes on with the same worker. */
function movesOf(run: Run): readonly Move[] {
  const { world } = run;
  const { alive, left } = world;
  const working = alive.filter(({ waiting }) => waiting.length > 0);
  const current = working.find(({ name }) => name === run.current);
  const mayLeave = current === undefined || run.left > 0;
  const moves: Move[] = [];
  for (const worker of current === undefined ? working : [current, ...working.filter((one) => one !== current)]) {
    const isOther = worker !== current;
    const [call] = worker.waiting;
    const step = () => stepOf(run, worker, current);
    if (mayLeave || !isOther) moves.push({ what: `${worker.name} ${call!.method} ${shown(call!.args)}`, make: step });
    if (left.deaths > 0 && isWrite(call!) && !isOther)
      moves.push(
        world.plan.isSole === true
          ? { what: "the process dies", make: () => world.dieWhole() }
          : { what: `${worker.name} dies`, make: () => world.die(worker) },
      );
  }
  if (left.renewals > 0)
    for (const worker of world.mayRenew)
      moves.push({ what: `${worker.name} renews its lease`, make: () => world.renew(worker) });
  if (mayLeave) moves.push(...beginnings(run, working, current));
  if (left.ticks > 0 && world.messages.length > world.due.length)
    moves.push({ what: "time passes", make: () => world.tick() });
  if (left.leases > 0 && world.messages.length + working.length > 0)
    moves.push({ what: "a lease passes", make: () => world.lease() });
  return moves;
}

async function stepOf(run: Run, worker: Worker, current: Worker | undefined): Promise<void> {
  if (current !== undefined && worker !== current) run.left--;
  run.current = worker.name;
  await run.world.step(worker);
}

/** New workers, each with its first call, because a message that is only received changes nothing. */
function beginnings(run: Run, working: readonly Worker[], current: Worker | undefined): readonly Move[] {
  const { world } = run;
  const moves: Move[] = [];
  const begins = async (begin: () => void): Promise<void> => {
    begin();
    await world.settle();
    await stepOf(run, world.workers.at(-1)!, current);
  };
  const known = new Set<number>();
  for (const message of world.due) {
    const of = world.ids.indexOf(message.wake.invocationId);
    const own = working.filter((one) => one.of === of);
    if (known.has(of) || working.length >= WORKERS_MAX || own.length >= WORKERS_EACH_MAX) continue;
    known.add(of);
    moves.push({ what: `a message of ${of}`, make: () => begins(() => world.take(message)) });
  }
  if (world.left.changes > 0)
    moves.push({ what: `change ${world.left.changes} of the rule`, make: () => begins(() => world.change()) });
  if (world.left.kills > 0)
    for (const of of world.plan.lives.keys())
      moves.push({ what: `kill ${of}`, make: () => begins(() => world.kill(of)) });
  return moves;
}

function shown(args: readonly unknown[]): string {
  return JSON.stringify(args, (_, one: unknown) => (one instanceof Uint8Array ? "…" : one)).slice(0, 300);
}
