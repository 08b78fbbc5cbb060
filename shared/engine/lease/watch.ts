/** The watch over what this process drives: leases are renewed, silent deployments noticed, dead exchanges ended. */
import type { Engine } from "../engine.ts";
import { renew } from "./lease.ts";
import { type Held, letGo, type OpenExchange } from "../local/active-invocation.ts";
import { handOn } from "../messaging/slow-lane.ts";

/** A lease is renewed when less than this share of it is left. */
const RENEW_BELOW_SHARE = 0.5;
const ROUND_MAX_MS = 250;

/** Goes round as long as anything is being driven or drained, then ends; the next drive starts it again. */
export async function watch(engine: Engine): Promise<void> {
  const { drives, clock, settings } = engine;
  if (drives.watched) return;
  drives.watched = true;
  const roundMs = Math.min(ROUND_MAX_MS, settings.leaseMs / 8);
  try {
    while (drives.size > 0 || !drives.drains.isEmpty) {
      await clock.sleep(roundMs);
      const nowMs = clock.nowMs();
      for (const held of drives.all()) watchSpared(engine, held, nowMs);
      drives.drains.look(nowMs);
    }
  } finally {
    drives.watched = false;
  }
}

/** One drive that cannot be watched over must not end the watch over all others. */
function watchSpared(engine: Engine, held: Held, nowMs: number): void {
  try {
    watchOver(engine, held, nowMs);
  } catch (error) {
    engine.log.error("a drive could not be watched over", { invocationId: held.id, error: String(error) });
  }
}

function watchOver(engine: Engine, held: Held, nowMs: number): void {
  const { leaseMs, silentAfterMs } = engine.settings;
  const { exchange } = held;
  if (exchange !== undefined) {
    if (exchange.waitsForRoom !== true) {
      noteLong(engine, held, exchange, nowMs);
      if (handOn(engine, held, exchange, nowMs)) return;
    }
    const quietMs = nowMs - exchange.heardAtMs;
    if (exchange.waitsForRoom === true) exchange.heardAtMs = nowMs;
    else if (quietMs >= exchange.abortTimeoutMs) letGo(held, "abort-timeout");
    else if (!exchange.silent && exchange.heardAtMs === exchange.startedAtMs && quietMs >= silentAfterMs) {
      exchange.silent = true;
      const { acceptance } = held.invocation;
      const target = `${acceptance.target.service}/${acceptance.target.handler}`;
      engine.log.warn("the deployment took the attempt and has sent nothing", {
        invocationId: held.id,
        target,
        quietMs,
      });
      held.renewal ??= keepOrLose(engine, held);
      return;
    }
  }
  const leftMs = held.lease.untilMs - nowMs;
  if (!held.lost && held.lease.untilMs > 0 && leftMs < leaseMs * RENEW_BELOW_SHARE)
    held.renewal ??= keepOrLose(engine, held);
}

/**
 * Writes the note while the attempt is open: at its end, a handler that never answers could already hold all workers.
 * An ingress driver may still drive the handler: only a cut shows that its time is too short.
 */
function noteLong(engine: Engine, { invocation }: Held, exchange: OpenExchange, nowMs: number): void {
  const { slowFromMs } = engine.settings;
  if (slowFromMs === undefined || exchange.long === true || nowMs - exchange.startedAtMs < slowFromMs) return;
  exchange.long = true;
  const { service, handler } = invocation.acceptance.target;
  void engine.registry.noteLong(service, handler);
}

/** A store that cannot renew now is asked again in the next round; the fence protects what the lease does not (I1). */
async function keepOrLose(engine: Engine, held: Held): Promise<void> {
  try {
    // A hold beside an acceptance that fails would stand in the open index, and every pass of the sweeper would read it.
    if (held.durable !== undefined) await held.durable;
    await renew(engine, held);
  } catch (error) {
    engine.log.warn("a lease could not be renewed", { invocationId: held.id, error: String(error) });
  } finally {
    delete held.renewal;
  }
}
