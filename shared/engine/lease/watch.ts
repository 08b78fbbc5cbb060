/**
 * The watch over the active invocations: it renews leases, follows a clock that was set, reports long and silent attempts, and aborts
 * dead exchanges.
 */
import { isToBeKilled } from "../../core/invocation/deadlines.ts";
import type { Engine } from "../engine.ts";
import { admitLonger } from "../admission/admission.ts";
import { type ActiveInvocation, rootOf } from "../local/active-invocation.ts";
import type { OpenExchange } from "../local/open-attempt.ts";
import { enterIfRuled } from "../limits/pools.ts";
import { slowFromMs } from "../ports/store-ownership.ts";
import { changeCondition, keepCondition } from "../store/lease-record.ts";
import { changeRecord, writeRecord } from "./write-record.ts";
import type { DeploymentId } from "../../core/model/ids.ts";

/** The watch renews a lease when less than this share of it is left. */
const RENEW_BELOW_SHARE = 0.5;
const ROUND_MAX_MS = 250;

/** Runs while the process drives an invocation or drains an exchange; the next drive starts the watch again. */
export async function watch(engine: Engine): Promise<void> {
  const { activeInvocations, clock, settings } = engine;
  if (activeInvocations.watched) return;
  activeInvocations.watched = true;
  const roundMs = Math.min(ROUND_MAX_MS, settings.leaseMs / 8);
  try {
    while (activeInvocations.size > 0 || !activeInvocations.drains.isEmpty) {
      const expectedMs = clock.nowMs() + roundMs;
      await clock.sleep(roundMs);
      const nowMs = clock.nowMs();
      followClock(engine, nowMs, nowMs - expectedMs);
      const unsent: Unsent = new Map();
      for (const active of activeInvocations.all()) watchSpared(engine, active, nowMs, unsent);
      shedStreams(engine, nowMs, unsent);
      activeInvocations.drains.look(nowMs);
    }
  } finally {
    activeInvocations.watched = false;
  }
}

/** An error about one invocation must not end the watch over the others. */
function watchSpared(engine: Engine, active: ActiveInvocation, nowMs: number, unsent: Unsent): void {
  try {
    watchOver(engine, active, nowMs, unsent);
  } catch (error) {
    engine.log.write("lease.watch-failed", { invocationId: active.id, error: String(error) });
  }
}

function watchOver(engine: Engine, active: ActiveInvocation, nowMs: number, unsent: Unsent): void {
  const { leaseMs, silentAfterMs } = engine.settings;
  const { lease, attempt } = active;
  const { exchange } = attempt;
  if (exchange !== undefined) {
    if (isToBeKilled(active.invocation, nowMs)) return attempt.letGo("deadline");
    noteUnsent(unsent, exchange, nowMs);
    if (exchange.waitsForRoom !== true) {
      noteLong(engine, active, exchange, nowMs);
      if (handOn(engine, active, exchange, nowMs)) return;
    }
    const quietMs = nowMs - exchange.heardAtMs;
    if (exchange.waitsForRoom === true) exchange.heardAtMs = nowMs;
    else if (isLateToLeave(exchange, nowMs)) attempt.letGo("stopping");
    else if (isDead(exchange, nowMs)) attempt.letGo("abort-timeout");
    else if (!exchange.silent && exchange.heardAtMs === exchange.startedAtMs && quietMs >= silentAfterMs) {
      exchange.silent = true;
      const { acceptance } = active.invocation;
      const target = `${acceptance.target.service}/${acceptance.target.handler}`;
      engine.log.write("attempt.stalled", {
        invocationId: active.id,
        target,
        quietMs,
      });
      lease.startRenewal(() => keepOrLose(engine, active));
      return;
    }
  }
  const leftMs = lease.untilMs - nowMs;
  // After the clock was set back, the lease would last for as long as the clock was ahead.
  const isDue = leftMs < leaseMs * RENEW_BELOW_SHARE || leftMs > leaseMs;
  if (!lease.isLost && lease.untilMs > 0 && isDue) lease.startRenewal(() => keepOrLose(engine, active));
}

/**
 * While this server keeps its side of an exchange open, the driver applies the inactivity timeout. The abort timeout counts
 * only once that side has ended.
 */
function isDead({ halfClose, halfClosedAtMs = 0, heardAtMs, abortTimeoutMs }: OpenExchange, nowMs: number): boolean {
  return halfClose === undefined && nowMs - Math.max(heardAtMs, halfClosedAtMs) >= abortTimeoutMs;
}

/** After a half-close, a handler that only waits suspends within this time. */
const LEAVE_MAX_MS = 1_000;

/** True if the process stops, and the handler on a half-closed exchange has not suspended in time. */
function isLateToLeave({ leavesSinceMs }: OpenExchange, nowMs: number): boolean {
  return leavesSinceMs !== undefined && nowMs - leavesSinceMs >= LEAVE_MAX_MS;
}

/**
 * Writes the long note while the attempt is open: a handler that never answers could otherwise fill all workers unnoticed.
 * On an exchange that stays open, each segment begins the count anew. Ingress drivers still drive a handler with a long
 * note: only a cut attempt shows that the handler needs more time than an ingress driver has.
 */
function noteLong(engine: Engine, active: ActiveInvocation, exchange: OpenExchange, nowMs: number): void {
  const { invocation, attempt } = active;
  if (exchange.long === true || nowMs - attempt.turnSinceMs < slowFromMs(engine.settings)) return;
  if (isHeldForChildren(active, exchange)) return;
  exchange.long = true;
  const { service, handler } = invocation.acceptance.target;
  void engine.registry.noteLong(service, handler);
}

/** Cuts an attempt that has to leave its lane, in the same way as when the time of a function ends. @returns true if it was cut */
function handOn(engine: Engine, active: ActiveInvocation, exchange: OpenExchange, nowMs: number): boolean {
  if (active.isStopping || isHeldForChildren(active, exchange)) return false;
  const { service, handler } = active.invocation.acceptance.target;
  const lane = { service, inMainLane: rootOf(active).origin.inMainLane === true };
  if (admitLonger(engine, lane, nowMs - active.attempt.turnSinceMs).kind === "go") return false;
  engine.log.write("attempt.handed-on", { invocationId: active.id, service, handler });
  active.stop(nowMs);
  return true;
}

/**
 * True if the exchange stays open and its handler may await a call that is driven along. The call may then be what takes long,
 * so the time does not count as time of the caller.
 */
function isHeldForChildren({ children }: ActiveInvocation, { halfClose }: OpenExchange): boolean {
  return halfClose !== undefined && children.size > 0;
}

/** After a failed write, the next round renews again; the fence keeps the journal safe meanwhile (I1). */
async function keepOrLose(engine: Engine, active: ActiveInvocation): Promise<void> {
  try {
    // Without an acceptance the lease record would stay in the open index, and every pass of the sweeper would read it.
    const durable = active.ownAcceptance?.durable;
    if (durable !== undefined) await durable;
    if (await renew(engine, active)) await enterIfRuled(engine, active);
  } catch (error) {
    engine.log.write("lease.renewal-failed", { invocationId: active.id, error: String(error) });
  }
}

/** A round of the watch that is off by less than this was only late. */
const SET_FROM_MS = 1_000;

/**
 * Timers do not notice that the clock of the machine is set, nor that the process stood still. The moments of an exchange move with
 * the clock, because otherwise a clock that is set forward makes every exchange look dead, and one that is set back keeps a dead
 * exchange open. The waits of drivers end, so that each driver decides anew what is due.
 * @param setMs by how much the clock is ahead of what the round of the watch took
 */
export function followClock(
  { activeInvocations }: Pick<Engine, "activeInvocations">,
  nowMs: number,
  setMs: number,
): void {
  if (Math.abs(setMs) < SET_FROM_MS) return;
  // The clock was set during the round, so a moment may already be one of the clock as it is now.
  const isOld = (atMs: number): boolean => (setMs > 0 ? atMs + setMs <= nowMs : atMs > nowMs);
  const moved = (atMs: number): number => (isOld(atMs) ? atMs + setMs : atMs);
  for (const { attempt, inbox } of activeInvocations.all()) {
    attempt.follow(moved);
    inbox.interrupt();
  }
}

/**
 * Renews the lease once. The first renewal puts the invocation into the open index, because the drive takes longer than one
 * lease. A later renewal updates the lease record and does not move the entry in the open index.
 * @returns false if the driver has lost the lease
 */
export async function renew(engine: Engine, active: ActiveInvocation): Promise<boolean> {
  const { lease, invocation } = active;
  const untilMs = engine.clock.nowMs() + engine.settings.leaseMs;
  const { segmentIndex } = invocation;
  const lookedAtMs = lease.record?.lookAtMs;
  const changes = { status: "running" as const, untilMs, lookAtMs: lookedAtMs ?? untilMs, ...silenceOf(active) };
  const newToken = () => engine.activeInvocations.newToken();
  const isKept = await lease.renewBy(untilMs, newToken, async (mine) => {
    active.countWrite();
    return lookedAtMs === undefined
      ? await writeRecord(engine, invocation, lease, changes, keepCondition(segmentIndex, mine))
      : await changeRecord(engine, invocation, lease, changes, changeCondition(segmentIndex, mine));
  });
  if (!isKept) active.lose();
  return isKept;
}

function silenceOf({ attempt: { exchange } }: ActiveInvocation): { silentSinceMs?: number } {
  return exchange?.silent === true ? { silentSinceMs: exchange.heardAtMs } : {};
}

/**
 * The share of the waiting exchanges that one round of the watch (`watch.ts`) half-closes to free slots of workers or room for
 * journals.
 */
const SHED_SHARE = 0.25;
const SHED_LEAST = 16;

/** The number of requests that wait for a stream, by deployment. */
export type Unsent = Map<DeploymentId, number>;

/** Half-closes open exchanges that only wait, if other work needs what these exchanges hold: slots, journals or streams. */
export function shedStreams({ activeInvocations, bulkheads }: Engine, nowMs: number, unsent: Unsent): void {
  const { streams } = activeInvocations;
  if (streams.waiting === 0) return;
  if (streams.areSlotsWanted || bulkheads.journals.waiting > 0) {
    const count = Math.max(SHED_LEAST, Math.ceil(SHED_SHARE * streams.waiting));
    if (streams.shed(nowMs, count, ({ holdsSlot }) => holdsSlot) > 0) streams.areSlotsWanted = false;
  }
  for (const [deploymentId, count] of unsent)
    streams.shed(nowMs, count, (exchange) => exchange.deploymentId === deploymentId);
}

/** A request that is still unsent after this time probably waits for a stream. */
const UNSENT_MS = 100;

export function noteUnsent(unsent: Unsent, exchange: OpenExchange, nowMs: number): void {
  if (nowMs - exchange.startedAtMs < UNSENT_MS || !exchange.isUnsent()) return;
  unsent.set(exchange.deploymentId, (unsent.get(exchange.deploymentId) ?? 0) + 1);
}
