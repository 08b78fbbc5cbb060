/** The watch over the active invocations: it renews leases, reports long and silent attempts, and aborts dead exchanges. */
import type { Engine } from "../engine.ts";
import { admitLonger } from "../admission/admission.ts";
import { renew } from "./renew.ts";
import { type ActiveInvocation, rootOf } from "../local/active-invocation.ts";
import type { OpenExchange } from "../local/open-attempt.ts";
import { noteUnsent, shedStreams, type Unsent } from "./shed-streams.ts";
import { followClock } from "./follow-clock.ts";
import { slowFromMs } from "../ports/store-ownership.ts";

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
    await renew(engine, active);
  } catch (error) {
    engine.log.write("lease.renewal-failed", { invocationId: active.id, error: String(error) });
  }
}
