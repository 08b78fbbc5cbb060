/** Schedules in the table: one partition, one item for each schedule, with its plan, its input and its state. */
import type { Schedule } from "../../core/schedules/schedule.ts";
import type { ScheduleState } from "../../core/schedules/schedule-state.ts";
import { type Condition, type Item, type Key, StoreError, type Update, type Write } from "../ports/table.ts";
import type { StorePorts } from "./store-ports.ts";
import { sweeperPk } from "./item-keys.ts";

export interface StoredSchedule {
  readonly schedule: Schedule;
  readonly state: ScheduleState;
  /** Counts the writes, so that of two writers one is refused. */
  readonly version: number;
}

type Ground = Pick<StorePorts, "table" | "settings">;

const PREFIX = "one#";
const RANGE = { from: PREFIX, below: "one$" };
const FORMAT = 1;

export function schedulesPk(keyPrefix: string): string {
  return `${keyPrefix}schedules`;
}

function keyOf({ settings }: Pick<Ground, "settings">, name: string): Key {
  return { pk: schedulesPk(settings.keyPrefix), sk: PREFIX + name };
}

/** @throws StoreError also for an item of another format */
export async function readSchedule(ground: Ground, name: string): Promise<StoredSchedule | undefined> {
  const item = await ground.table.get(keyOf(ground, name));
  return item && storedFrom(item);
}

/** One page of the schedules, in the order of their names. @param after the `next` of the previous page */
export async function schedulePage(
  ground: Ground,
  after?: string,
): Promise<{ readonly schedules: readonly StoredSchedule[]; readonly next?: string }> {
  const pk = schedulesPk(ground.settings.keyPrefix);
  const page = await ground.table.query(pk, { ...RANGE, ...(after !== undefined && { after }) });
  return { schedules: page.items.map(storedFrom), ...(page.next !== undefined && { next: page.next }) };
}

/** All schedules, in the order of their names. */
export async function readSchedules(ground: Ground): Promise<readonly StoredSchedule[]> {
  const all: StoredSchedule[] = [];
  let after: string | undefined;
  do {
    const page = await schedulePage(ground, after);
    all.push(...page.schedules);
    after = page.next;
  } while (after !== undefined);
  return all;
}

/** @returns false if a schedule has this name already */
export async function createSchedule(ground: Ground, schedule: Schedule, state: ScheduleState): Promise<boolean> {
  const { written, ...refused } = await ground.table.put(itemOf(ground, { schedule, state, version: 1 }), {
    kind: "absent",
  });
  // The item of a put whose answer was lost refuses the repetition.
  return written || ("existing" in refused && refused.existing?.["id"] === schedule.id);
}

/** Writes plan and state. @returns false if the schedule has changed since it was read */
export async function replaceSchedule(
  ground: Ground,
  before: StoredSchedule,
  schedule: Schedule,
  state: ScheduleState,
): Promise<boolean> {
  const item = itemOf(ground, { schedule, state, version: before.version + 1 });
  return (await ground.table.put(item, isUnchanged(before))).written;
}

/** Writes only the state. @returns the schedule as written; undefined if it has changed since it was read */
export async function writeState(
  ground: Ground,
  before: StoredSchedule,
  state: ScheduleState,
): Promise<StoredSchedule | undefined> {
  const { written } = await ground.table.update(
    keyOf(ground, before.schedule.name),
    stateUpdate(before, state),
    isUnchanged(before),
  );
  return written ? { ...before, state, version: before.version + 1 } : undefined;
}

/** The write of `writeState`, as a part of a transaction. */
export function stateWrite(ground: Ground, before: StoredSchedule, state: ScheduleState): Write {
  return {
    kind: "update",
    key: keyOf(ground, before.schedule.name),
    update: stateUpdate(before, state),
    condition: isUnchanged(before),
  };
}

/** @returns false if the schedule is gone or has changed since it was read */
export async function deleteSchedule(ground: Ground, before: StoredSchedule): Promise<boolean> {
  return (await ground.table.delete(keyOf(ground, before.schedule.name), isUnchanged(before))).written;
}

function stateUpdate(before: StoredSchedule, state: ScheduleState): Update {
  return { set: { state: JSON.stringify(state), version: before.version + 1 } };
}

/** Versions of two schedules with the same name are told apart by the id. */
function isUnchanged({ schedule, version }: StoredSchedule): Condition {
  return {
    kind: "all",
    of: [
      { kind: "equal", attribute: "version", value: version },
      { kind: "equal", attribute: "id", value: schedule.id },
    ],
  };
}

function itemOf(ground: Ground, { schedule, state, version }: StoredSchedule): Item {
  const { input, ...plan } = schedule;
  return {
    ...keyOf(ground, schedule.name),
    format: FORMAT,
    id: schedule.id,
    version,
    plan: JSON.stringify(plan),
    state: JSON.stringify(state),
    ...(input.length > 0 && { input }),
  };
}

function storedFrom(item: Item): StoredSchedule {
  const { format, plan, state, version, input } = item;
  if (format !== FORMAT || typeof plan !== "string" || typeof state !== "string")
    throw new StoreError(`the schedule ${item.sk.slice(PREFIX.length)} has the unknown format ${String(format)}`);
  return {
    schedule: { ...JSON.parse(plan), input: input instanceof Uint8Array ? input : new Uint8Array(0) } as Schedule,
    state: JSON.parse(state) as ScheduleState,
    version: Number(version),
  };
}

/** The sort key of the mark, which stands among the items that each pass of the sweeper reads anyway. */
export const SCHEDULES_MARK = "schedules";

/** Marks that the environment has schedules, so that passes of the sweeper look for overdue ones. */
export async function markSchedules(ground: Ground, atMs: number): Promise<void> {
  await ground.table.put({ ...markKey(ground), markedAtMs: atMs });
}

/** Removes the mark that a pass has read, unless it was made anew since. */
export async function unmarkSchedules(ground: Ground, mark: Item): Promise<void> {
  const markedAtMs = Number(mark["markedAtMs"]);
  await ground.table.delete(markKey(ground), { kind: "equal", attribute: "markedAtMs", value: markedAtMs });
}

function markKey({ settings }: Ground): Key {
  return { pk: sweeperPk(settings.keyPrefix), sk: SCHEDULES_MARK };
}
