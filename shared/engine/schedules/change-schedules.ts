/** The orders of operators to schedules: create, change, remove, pause, resume, trigger and backfill. */
import type { CodedError } from "../../core/errors/coded-error.ts";
import { hex } from "../../core/model/hex.ts";
import { type InvocationId, SCHEDULE_ID_BYTES, scheduleIdFromBytes } from "../../core/model/ids.ts";
import { assertPlan, invalidSchedule, type PlanRules } from "../../core/schedules/check-plan.ts";
import { dueOf } from "../../core/schedules/decide.ts";
import { momentsIn } from "../../core/schedules/moments.ts";
import {
  BACKFILL_MAX_RUNS,
  BACKFILLS_MAX,
  isSamePlan,
  type Schedule,
  type SchedulePlan,
  SCHEDULES_MAX,
} from "../../core/schedules/schedule.ts";
import {
  type Backfill,
  changed,
  firstState,
  paused,
  resumed,
  type ScheduleState,
} from "../../core/schedules/schedule-state.ts";
import type { Engine } from "../engine.ts";
import {
  createSchedule,
  deleteSchedule,
  markSchedules,
  readSchedule,
  readSchedules,
  replaceSchedule,
  type StoredSchedule,
  writeState,
} from "../store/schedule-record.ts";
import { portsOf } from "./advance-schedule.ts";
import { startRun } from "./start-run.ts";

const REQUEST_ID_BYTES = 9;

export interface PutSchedule {
  readonly kind: "created" | "changed" | "unchanged";
  readonly stored: StoredSchedule;
}

/**
 * Creates the schedule or changes it to the plan.
 * @throws CodedError META0901 if the plan is not valid, its handler is not registered, or the environment has too many schedules
 */
export async function putSchedule(engine: Engine, plan: SchedulePlan): Promise<PutSchedule> {
  await assertFits(engine, plan);
  for (;;) {
    const before = await readSchedule(engine, plan.name);
    if (before !== undefined && isSamePlan(before.schedule, plan)) {
      // The request may be the repetition of one that died before it ordered the wake.
      await orderWake(engine, before);
      return { kind: "unchanged", stored: before };
    }
    const stored = before === undefined ? await create(engine, plan) : await change(engine, before, plan);
    if (stored === undefined) continue;
    const kind = before === undefined ? "created" : "changed";
    engine.log.write(kind === "created" ? "schedule.created" : "schedule.changed", {
      schedule: plan.name,
      generation: stored.schedule.generation,
    });
    await orderWake(engine, stored);
    return { kind, stored };
  }
}

/** @throws CodedError META0901 */
export async function assertFits(engine: Engine, plan: SchedulePlan): Promise<void> {
  assertPlan(plan, rulesOf(engine), engine.clock.nowMs());
  const { service, handler, key } = plan.target;
  const routing = await engine.registry.route(service, handler);
  if (!routing.found)
    throw invalidSchedule(
      `the handler '${service}/${handler}' of '${plan.name}' is not registered; register its deployment first: stepwell deployments register <address>`,
    );
  const needsKey = routing.route.service.type !== "service";
  if (needsKey === (key !== undefined)) return;
  throw invalidSchedule(
    needsKey
      ? `'${plan.name}' has no key, and '${service}' is of the type ${routing.route.service.type}; name the key, such as "key": "all"`
      : `'${plan.name}' has the key '${key}', and '${service}' is a service without keys; leave the key out`,
  );
}

function rulesOf(engine: Engine): PlanRules {
  const { calendar, intervalMinMs } = portsOf(engine);
  return {
    next: calendar.next,
    refusal: (expression) => calendar.refusal(expression),
    knowsZone: (name) => calendar.knowsZone(name),
    intervalMinMs,
  };
}

async function create(engine: Engine, plan: SchedulePlan): Promise<StoredSchedule | undefined> {
  const { calendar } = portsOf(engine);
  if ((await readSchedules(engine)).length >= SCHEDULES_MAX)
    throw invalidSchedule(
      `the environment has ${SCHEDULES_MAX} schedules already, which is the most; delete one that is not needed: stepwell schedules delete <name>`,
    );
  const nowMs = engine.clock.nowMs();
  const id = scheduleIdFromBytes(engine.ids.random(SCHEDULE_ID_BYTES));
  const schedule: Schedule = { ...plan, id, generation: 1, createdAtMs: nowMs, changedAtMs: nowMs };
  const state = firstState(plan, calendar.next, nowMs);
  // Before the schedule, so that a process that dies between the two leaves no schedule that passes do not look for.
  await markSchedules(engine, nowMs);
  return (await createSchedule(engine, schedule, state)) ? { schedule, state, version: 1 } : undefined;
}

async function change(engine: Engine, before: StoredSchedule, plan: SchedulePlan): Promise<StoredSchedule | undefined> {
  const { schedule, state } = changed(before, plan, portsOf(engine).calendar.next, engine.clock.nowMs());
  const isWritten = await replaceSchedule(engine, before, schedule, state);
  return isWritten ? { schedule, state, version: before.version + 1 } : undefined;
}

async function orderWake(engine: Engine, { schedule, state }: StoredSchedule): Promise<void> {
  const atMs = dueOf(schedule, state);
  if (atMs !== undefined) await portsOf(engine).wakes.at({ schedule: schedule.name, atMs });
}

/** Open runs go on. @returns false if there is no such schedule */
export async function removeSchedule(engine: Engine, name: string): Promise<boolean> {
  for (;;) {
    const before = await readSchedule(engine, name);
    if (before === undefined) return false;
    if (!(await deleteSchedule(engine, before))) continue;
    engine.log.write("schedule.removed", { schedule: name });
    return true;
  }
}

/** @returns undefined if there is no such schedule */
async function changeState(
  engine: Engine,
  name: string,
  decide: (stored: StoredSchedule) => ScheduleState,
): Promise<StoredSchedule | undefined> {
  for (;;) {
    const before = await readSchedule(engine, name);
    if (before === undefined) return undefined;
    const state = decide(before);
    const stored = state === before.state ? before : await writeState(engine, before, state);
    if (stored === undefined) continue;
    await orderWake(engine, stored);
    return stored;
  }
}

/** No tick starts from now on. Open runs, triggers and backfills go on. @param by the operator, if one was authenticated */
export async function pauseSchedule(
  engine: Engine,
  name: string,
  { note, by }: { readonly note?: string; readonly by?: string } = {},
): Promise<StoredSchedule | undefined> {
  const atMs = engine.clock.nowMs();
  const pause = { atMs, ...(note !== undefined && { note }), ...(by !== undefined && { by }) };
  const stored = await changeState(engine, name, ({ state }) => paused(state, pause));
  if (stored !== undefined) engine.log.write("schedule.paused", { schedule: name });
  return stored;
}

/** The moments that passed during the pause do not count. */
export async function resumeSchedule(engine: Engine, name: string): Promise<StoredSchedule | undefined> {
  const { calendar } = portsOf(engine);
  const stored = await changeState(engine, name, (before) =>
    before.state.pause === undefined ? before.state : resumed(before, calendar.next, engine.clock.nowMs()),
  );
  if (stored !== undefined) engine.log.write("schedule.resumed", { schedule: name });
  return stored;
}

/** A trigger runs at once, also beside an open run and while the schedule is paused. */
export interface Triggered {
  readonly invocationId: InvocationId;
  /** False if a trigger with this request id came before, or if the run of the workflow exists. */
  readonly isNew: boolean;
}

/**
 * @param requestId makes a repeated trigger the same one
 * @returns undefined if there is no such schedule
 * @throws CodedError META0901 if its handler takes no runs now
 */
export async function triggerSchedule(
  engine: Engine,
  name: string,
  requestId = hex(engine.ids.random(REQUEST_ID_BYTES)),
): Promise<Triggered | undefined> {
  for (;;) {
    const before = await readSchedule(engine, name);
    if (before === undefined) return undefined;
    const run = { key: `m.${requestId}`, kind: "trigger", momentMs: engine.clock.nowMs() } as const;
    const started = await startRun(engine, before, run, before.state);
    if (started.kind === "changed") continue;
    if (started.kind === "refused") throw invalidSchedule(`'${name}' cannot run now: ${started.reason}`);
    const { invocationId } = started;
    engine.log.write("schedule.triggered", { schedule: name, invocationId });
    return { invocationId, isNew: started.kind === "started" };
  }
}

export interface BackfillOrder {
  readonly fromMs: number;
  readonly belowMs: number;
  readonly concurrency: number;
}

/**
 * Runs each moment from `fromMs` to before `belowMs` once, in order, beside the ticks of the schedule.
 * @returns undefined if there is no such schedule
 * @throws CodedError META0901 if the range has no moment or too many, or if too many backfills run
 */
export async function backfillSchedule(
  engine: Engine,
  name: string,
  order: BackfillOrder,
): Promise<Backfill | undefined> {
  const { calendar } = portsOf(engine);
  const id = hex(engine.ids.random(REQUEST_ID_BYTES));
  let made: Backfill | undefined;
  const stored = await changeState(engine, name, ({ schedule, state }) => {
    if (state.backfills.length >= BACKFILLS_MAX)
      throw invalidSchedule(
        `${BACKFILLS_MAX} backfills of '${name}' run already, which is the most; wait for one to end`,
      );
    const range = { fromMs: order.fromMs, belowMs: order.belowMs, limit: BACKFILL_MAX_RUNS + 1 };
    const moments = momentsIn(schedule, calendar.next, range);
    made = backfillOf(name, id, order, moments, engine.clock.nowMs());
    return { ...state, backfills: [...state.backfills, made] };
  });
  if (stored !== undefined) engine.log.write("schedule.backfill-ordered", { schedule: name, runs: made?.total });
  return stored && made;
}

function backfillOf(
  name: string,
  id: string,
  order: BackfillOrder,
  moments: readonly number[],
  createdAtMs: number,
): Backfill {
  const [nextMs] = moments;
  if (nextMs === undefined)
    throw invalidSchedule(
      `no moment of '${name}' is in that range; 'stepwell schedules describe ${name}' shows its moments`,
    );
  if (moments.length > BACKFILL_MAX_RUNS)
    throw invalidSchedule(
      `that range has more than ${BACKFILL_MAX_RUNS} moments of '${name}', which is the most of one backfill; order a part of it first`,
    );
  return { id, ...order, nextMs, total: moments.length, started: 0, createdAtMs };
}

/** The changes that the application of a set makes, or would make after a dry run: names of schedules, each list in order. */
export interface AppliedSet {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
  readonly deleted: readonly string[];
}

/**
 * Makes the schedules of the environment equal to the set. Everything is checked before the first change; the changes are not one
 * write, so a failed application is repeated.
 * @throws CodedError META0901
 */
export async function applySchedules(
  engine: Engine,
  plans: readonly SchedulePlan[],
  { isDry }: { readonly isDry: boolean },
): Promise<AppliedSet> {
  const twice = plans.find(({ name }, at) => plans.findIndex((one) => one.name === name) !== at);
  if (twice !== undefined)
    throw invalidSchedule(`the set names '${twice.name}' twice; each schedule has a name of its own`);
  if (plans.length > SCHEDULES_MAX)
    throw invalidSchedule(`the set has ${plans.length} schedules; an environment has at most ${SCHEDULES_MAX}`);
  for (const plan of plans) await assertFits(engine, plan);
  const standing = new Map((await readSchedules(engine)).map(({ schedule }) => [schedule.name, schedule]));
  const deleted = [...standing.keys()].filter((name) => !plans.some((plan) => plan.name === name));
  const lists = { created: [] as string[], changed: [] as string[], unchanged: [] as string[] };
  if (!isDry) for (const name of deleted) await removeSchedule(engine, name);
  for (const plan of plans.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const existing = standing.get(plan.name);
    const kind = existing === undefined ? "created" : isSamePlan(existing, plan) ? "unchanged" : ("changed" as const);
    lists[isDry ? kind : (await putSchedule(engine, plan)).kind].push(plan.name);
  }
  return { ...lists, deleted };
}

/** @throws CodedError META0901 if a schedule has this name already */
export async function createNew(engine: Engine, plan: SchedulePlan): Promise<StoredSchedule> {
  if ((await readSchedule(engine, plan.name)) !== undefined) throw alreadyThere(plan.name);
  return (await putSchedule(engine, plan)).stored;
}

function alreadyThere(name: string): CodedError {
  return invalidSchedule(`a schedule '${name}' exists already; change it with PUT /schedules/${name}`);
}
