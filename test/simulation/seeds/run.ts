/** One seed, played from its first request until no work is left, and judged at every step. */
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { breathe } from "../breathe.ts";
import { START_MS } from "../virtual-clock.ts";
import { Aftermath } from "./aftermath.ts";
import { Clients } from "./clients.ts";
import { players } from "./deployments.ts";
import { heldKeys } from "./lock-rules.ts";
import { drawWidePlan } from "./draw-wide.ts";
import { ParkRule } from "./park-rule.ts";
import { Days } from "./days.ts";
import { Edits } from "./edits.ts";
import { beginEvents } from "./events.ts";
import { drawStretch, isFar, type Stretch } from "./far-plan.ts";
import type { Fault } from "./fate.ts";
import { objectAt } from "../../../shared/engine/store/object-keys.ts";
import { drawFunctions } from "./functions.ts";
import { nameOfPlace } from "./program.ts";
import { type Ask, drawPlan } from "./plan.ts";
import { Pauses } from "./pauses.ts";
import { DEADLY_SHARE, isPoisoned } from "./poison.ts";
import { Random } from "../random.ts";
import { Rules } from "./rules.ts";
import { verdict } from "./verdict.ts";
import type { Sabotage } from "./running.ts";
import { type Bound, World } from "./world.ts";

/** The share of the seeds that the real SDK plays, which is slower than the scripted one. */
const SDK_SHARE = 0.25;
/** Half of the seeds that the real SDK plays have exchanges that stay open. */
const streams = (seed: number): boolean => seed % 4 < 2;
/** After this time no more faults strike. */
const MISFORTUNE_MAX_MS = 180_000;
/**
 * By then the sweeper has found every lost invocation, and each sleep has ended, by itself or by a cancel or a kill. If the
 * try of a dead letter ends its process, the letter is tried again after an hour.
 */
const QUIET_BY_MS = 7_200_000;
const STEPS_MAX = 60_000;
/** A message that is due more than this time from now comes from the fault `message-day-late`. */
const SOON_MS = 3_600_000;
/** Sets the draws of the hardships apart from all other draws, so that a seed is the same with them and without. */
const WIDE_APART = 1_000_003;
const PAUSES_APART = 2_000_003;
const PROCESSES_APART = 3_000_017;
const DIED = /the process that drove it ended before its time|it ended the process \d+ times in a row/;

export interface Run {
  readonly complaints: readonly string[];
  readonly steps: number;
  /** All faults of the run. */
  readonly struck: readonly Fault[];
  /** Virtual time until no work was left, without the long stretch of days. */
  readonly tookMs: number;
}

export interface Given {
  readonly seed: number;
  readonly sabotage?: Sabotage;
  readonly bound?: Bound | undefined;
  /** Whether the seed is wide: it has the hardships of `hardships.ts`. */
  readonly wide?: boolean;
  readonly trace?: (line: string) => void;
}

export async function run({ seed, sabotage, bound, wide = false, trace = () => {} }: Given): Promise<Run> {
  const random = new Random(seed);
  const playing = !random.chance(SDK_SHARE) ? "scripted" : streams(seed) ? "streams" : "sdk";
  const plan = drawPlan(random);
  const draws = wide ? new Random(seed + WIDE_APART) : undefined;
  const apart = wide ? new Random(seed + PROCESSES_APART) : undefined;
  const functions = apart && drawFunctions(apart);
  const isDeadly = apart?.chance(DEADLY_SHARE) === true;
  const making = { random, players: await players(playing), trace, sabotage, bound, wide: draws, functions, isDeadly };
  const world = new World(making);
  const pausing = wide ? new Random(seed + PAUSES_APART) : undefined;
  const more = draws !== undefined && playing === "scripted" ? drawWidePlan(draws) : [];
  const stretch = drawStretch(random, world.poison !== undefined, bound === "rested");
  // Handlers compute the ends of their sleeps from the time of their own machine.
  const { now } = Date;
  Date.now = () => world.clock.nowMs() + world.skew.ofDeploymentMs;
  try {
    return await play(world, plan.concat(stretch?.plan ?? [], more), stretch, { draws, pausing });
  } finally {
    Date.now = now;
  }
}

async function play(
  world: World,
  plan: readonly Ask[],
  drawn: Stretch | undefined,
  { draws, pausing }: { readonly draws: Random | undefined; readonly pausing: Random | undefined },
): Promise<Run> {
  const { table, clock, fate, leap } = world;
  const observer = world.observer();
  const parks = new ParkRule(
    table,
    observer,
    (mortal) => world.engineOf(mortal),
    (id) => world.hasMessage(id),
  );
  const rules = new Rules(table, observer, parks);
  const clients = new Clients(world);
  const fail = (complaint: string): void => void rules.complaints.push(complaint);
  const days = new Days(world, rules, drawn);
  world.trace(JSON.stringify(plan));
  world.start();
  clients.start(plan, fail);
  world.onExpired = (item) => rules.expire(item);
  world.onComplaint = fail;
  const aftermath = draws && new Aftermath(world, clients, rules, draws);
  const edits = draws && new Edits(world, clients, draws);
  edits?.begin(plan, fail);
  if (draws !== undefined) beginEvents(world, clients, draws, fail);
  const pauses = pausing && new Pauses(world, clients, rules, pausing);
  pauses?.begin(fail);
  // A sleep begins that much later if the message of its invocation is lost and the sweeper comes rarely.
  const lateMs = Number.isFinite(drawn?.sweepEveryMs) ? drawn!.sweepEveryMs : 0;
  const quietByMs = QUIET_BY_MS + lateMs;
  const visitors: Ask[] = [];
  let steps = 0;
  for (; steps < STEPS_MAX; steps++) {
    await breathe(world);
    await rules.check();
    await days.pass();
    aftermath?.pass();
    poisonOnce(world, clients);
    operate(world, clients, rules, pauses);
    if (rules.complaints.length > 0) break;
    if (!leap.isOn && leftIn(world, clients, rules, days.areOver) === undefined && !days.begin()) {
      if (aftermath?.isBegun === false) rules.complaints.push(...((await edits?.complaints(rules)) ?? []));
      const visits = visitsIn(world, plan.concat(visitors));
      if (visits.length === 0 && aftermath?.begin(plan.concat(visitors), fail) !== true) break;
      visitors.push(...visits);
      for (const visit of visits) clients.ask(visit, fail);
    }
    const passedMs = clock.nowMs() - START_MS - leap.leaptMs;
    if (passedMs > MISFORTUNE_MAX_MS) fate.end();
    if (passedMs > quietByMs || !clock.jump()) break;
  }
  const complaints = [...rules.complaints];
  if (complaints.length === 0) {
    const left = leftIn(world, clients, rules, true);
    if (left !== undefined) complaints.push(`${left}, after ${steps} steps`);
    complaints.push(...verdict(world, clients, plan.concat(visitors, aftermath?.asked ?? []), rules));
  }
  return { complaints, steps, struck: fate.struck, tookMs: clock.nowMs() - START_MS - leap.leaptMs };
}

/** Poisons the planned invocation once its client knows that it was accepted. */
function poisonOnce({ poison, clock }: World, { acknowledged }: Clients): void {
  if (poison === undefined || poison.id !== undefined) return;
  const accepted = acknowledged.find(({ ask }) => isPoisoned(ask.program.name));
  if (accepted !== undefined) poison.take(accepted.id, clock.nowMs());
}

/** Resumes an invocation that an operator has paused, or that was paused because a process died. No other may be paused. */
function operate({ fate, poison }: World, clients: Clients, rules: Rules, pauses: Pauses | undefined): void {
  for (const { id, reason } of rules.pauses.splice(0)) {
    if (id === poison?.id) continue;
    const fail = (complaint: string): void => void rules.complaints.push(complaint);
    if (pauses?.resumeLater(id, fail) === true) continue;
    if (DIED.test(reason) && fate.struck.some(endsProcess)) clients.resume(id, fail);
    else fail(`${id} was paused: ${reason}`);
  }
}

function endsProcess(fault: Fault): boolean {
  return fault.startsWith("dies") || fault === "function-ended";
}

/**
 * Names work that is left: requests, invocations, messages, drives, and entries of the open index. Work on the poisoned
 * invocation does not count.
 * @param inAll whether invocations that must stay open for days, and messages that are a day late, count too
 */
function leftIn(world: World, clients: Clients, rules: Rules, inAll: boolean): string | undefined {
  const { clock, queue, letters, functions, poison } = world;
  if (clients.isBusy) return "a client waits";
  if (rules.open.some((name) => !isPoisoned(name) && (inAll || !isFar(name)))) return "an invocation is open";
  const nowMs = clock.nowMs();
  const isSound = ({ invocationId }: Wake) => invocationId !== poison?.id;
  if (queue.waitingBy(inAll ? Infinity : nowMs + SOON_MS).some(isSound)) return "a message is in the queue";
  if (functions?.waitingBy(inAll ? Infinity : nowMs + SOON_MS).some(isSound) === true)
    return "a message of a function is left";
  if (letters.waitingBy(Infinity).some(isSound)) return "a dead letter is left";
  for (const { engine } of world.running) if (engine.activeInvocations.size > 0) return "something is driven";
  // An entry that is not due does not count: a late write of a park may leave the entry of a completed invocation, which the
  // sweeper removes when the entry is due.
  const isDue = ({ pk, openPk, lookAtMs }: Item) =>
    openPk !== undefined && Number(lookAtMs) <= nowMs && pk !== `inv#${poison?.id}`;
  return world.table.all().some(isDue) ? "the open index has an entry" : undefined;
}

/**
 * A completed invocation may hold a lock that was taken late. That lock does no harm if the next caller is served, so each such
 * key gets one more request, a visitor.
 */
function visitsIn(world: World, asked: readonly Ask[]): readonly Ask[] {
  const names = new Set(asked.map(({ program }) => program.name));
  return heldKeys(world.table.all()).flatMap((pk) => {
    const object = nameOfPlace(objectAt("", pk));
    const program = { name: `v${object}`, steps: [], object };
    if (names.has(program.name)) return [];
    return [{ program, key: program.name, how: "call", atMs: 0, delayMs: 0 }];
  });
}
