/** Starts a run of a schedule: its acceptance and the new state of the schedule are one write, so that it starts once. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { deadlinesFor } from "../../core/invocation/deadlines.ts";
import { CodedError } from "../../core/errors/coded-error.ts";
import {
  INVOCATION_ID_BYTES,
  invocationIdFromBytes,
  type InvocationId,
  type ScheduleId,
} from "../../core/model/ids.ts";
import { momentIso } from "../../core/model/moment.ts";
import type { Route } from "../../core/model/deployment.ts";
import type { Schedule } from "../../core/schedules/schedule.ts";
import { type Run, type ScheduleState, withEnded, withStarted } from "../../core/schedules/schedule-state.ts";
import { accept, newNonce } from "../accept/accept.ts";
import { workflowId } from "../accept/invocation-ids.ts";
import { startSend } from "../accept/start-send.ts";
import type { Engine } from "../engine.ts";
import { sendWake } from "../messaging/wake.ts";
import { deprecation } from "../ports/protocol-range.ts";
import type { Condition, Item, Table, Written } from "../ports/table.ts";
import { NO_LEASE } from "../store/acceptance-record.ts";
import { stateWrite, type StoredSchedule, writeState } from "../store/schedule-record.ts";
import { retentionOf } from "../store/ttl.ts";

/** The headers by which a handler learns whose run it is, and the moment of the run. */
export const SCHEDULE_HEADER = "x-stepwell-schedule";
export const MOMENT_HEADER = "x-stepwell-scheduled-at";

export type StartedRun =
  | { readonly kind: "started"; readonly invocationId: InvocationId; readonly stored: StoredSchedule }
  /** The run of this workflow id exists already. The state says so, and names its invocation. */
  | { readonly kind: "exists"; readonly invocationId: InvocationId; readonly stored: StoredSchedule }
  /** The schedule has changed since it was read. Nothing was written. */
  | { readonly kind: "changed" }
  /** The handler takes no runs now. Nothing was written. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * @param after the state after the start, without the run itself
 * @throws StoreError; the run may have started or not
 */
export async function startRun(
  engine: Engine,
  before: StoredSchedule,
  run: Run,
  after: ScheduleState,
): Promise<StartedRun> {
  const { schedule } = before;
  const routing = await engine.registry.route(schedule.target.service, schedule.target.handler);
  if (!routing.found) return { kind: "refused", reason: notRegistered(schedule) };
  const deprecated = deprecation(engine.settings, routing.route.deployment);
  if (deprecated !== undefined) return { kind: "refused", reason: new CodedError("RT0020", deprecated).message };
  const acceptance = acceptanceOf(engine, schedule, run, routing.route);
  const { id: invocationId, createdAtMs: startedAtMs } = acceptance;
  const state = withStarted(after, { ...run, invocationId, startedAtMs });
  const isNew = await acceptWithState(engine, acceptance, before, state);
  if (isNew === undefined) return { kind: "changed" };
  if (isNew) return { kind: "started", invocationId, stored: { ...before, state, version: before.version + 1 } };
  const ended = { ...run, invocationId, outcome: "exists", endedAtMs: engine.clock.nowMs() } as const;
  const stored = await writeState(engine, before, withEnded(after, ended));
  return stored === undefined ? { kind: "changed" } : { kind: "exists", invocationId, stored };
}

function notRegistered({ target: { service, handler } }: Schedule): string {
  return `the handler '${service}/${handler}' is not registered; register its deployment: stepwell deployments register <address>`;
}

/** @returns true if the run is accepted, false if its invocation existed before, undefined if the schedule has changed */
async function acceptWithState(
  engine: Engine,
  acceptance: Acceptance,
  before: StoredSchedule,
  state: ScheduleState,
): Promise<boolean | undefined> {
  const joined = { ...engine, table: joinedTable(engine, acceptance, before, state) };
  // As in a send, the message may go out before the acceptance, unless the invocation needs its place at a key first.
  const atOnce = acceptance.handlerType !== "exclusive";
  try {
    const [acceptation] = await Promise.all([
      accept(joined, acceptance, NO_LEASE, () => acceptance.handlerType !== "workflow"),
      atOnce ? sendWake(engine, acceptance, 0) : undefined,
    ]);
    if (acceptation.kind !== "new") return false;
    if (!atOnce || acceptation.instead === true) await startSend(engine, acceptance);
    return true;
  } catch (error) {
    if (error instanceof ChangedError) return undefined;
    // The acceptance may be durable although its answer was lost. Then only this message drives it soon.
    await sendWake(engine, acceptance, engine.settings.leaseMs).catch(() => undefined);
    throw error;
  }
}

class ChangedError extends Error {
  override name = "ChangedError";
}

/** The table of the engine, in which the put of this acceptance and the new state of the schedule are one transaction. */
function joinedTable(engine: Engine, { nonce }: Acceptance, before: StoredSchedule, state: ScheduleState): Table {
  const { table } = engine;
  const put = async (item: Item, condition?: Condition): Promise<Written> => {
    // Pieces of a large input are written before, each by itself.
    if (item["n"] !== nonce) return await table.put(item, condition);
    const acceptanceWrite = { kind: "put", item, ...(condition && { condition }) } as const;
    const transacted = await table.transact([acceptanceWrite, stateWrite(engine, before, state)]);
    if (transacted.written) return { written: true };
    const [isRefused] = transacted.refused;
    if (isRefused !== true) throw new ChangedError("the schedule has changed");
    return { written: false, existing: await table.get({ pk: item.pk, sk: item.sk }) };
  };
  return {
    get: (key) => table.get(key),
    getMany: (keys) => table.getMany(keys),
    query: (pk, range) => table.query(pk, range),
    queryIndex: (index, pk, range) => table.queryIndex(index, pk, range),
    partitions: (prefix, after) => table.partitions(prefix, after),
    put,
    update: (key, update, condition) => table.update(key, update, condition),
    delete: (key, condition) => table.delete(key, condition),
    transact: (writes) => table.transact(writes),
  };
}

function acceptanceOf(engine: Engine, schedule: Schedule, run: Run, { service, handler, settings }: Route): Acceptance {
  const { target, input, headers, name, id: scheduleId, limitKey } = schedule;
  const beginning = { createdAtMs: engine.clock.nowMs() };
  const isRun = handler.type === "workflow";
  return {
    id: isRun ? workflowId(engine, target) : runId(engine, scheduleId, run),
    nonce: newNonce(engine),
    target,
    serviceType: service.type,
    handlerType: handler.type,
    input,
    headers: [
      ...headers,
      { key: SCHEDULE_HEADER, value: name },
      { key: MOMENT_HEADER, value: momentIso(run.momentMs) },
    ],
    source: { kind: "schedule", schedule: name, scheduleId, run: run.key },
    ...beginning,
    ...deadlinesFor({}, settings, engine.settings.endGraceMs, beginning),
    ...retentionOf(settings, true, handler.type),
    ...(limitKey !== undefined && { limitKey }),
  };
}

/** The id of the invocation of a run follows from the schedule and the run, except for a workflow. */
export function runId(engine: Pick<Engine, "ids">, scheduleId: ScheduleId, { key }: Pick<Run, "key">): InvocationId {
  return invocationIdFromBytes(engine.ids.derive(["sc", scheduleId, key], INVOCATION_ID_BYTES));
}
