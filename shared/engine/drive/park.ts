/** Waiting: a short wait stays in the driver; for a longer one the driver parks the invocation, and a wake follows. */
import { advance } from "../../core/invocation/advance.ts";
import type { Step } from "../../core/invocation/transition.ts";
import { hasComeToHold } from "../lock/acquire.ts";
import { writeArrival } from "../messaging/deliver.ts";
import { isLarge } from "./journal-room.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { release, reclaim } from "../lease/lease.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { ARRIVALS } from "../store/item-keys.ts";
import { keepUntilS } from "../store/ttl.ts";
import { freshArrivals } from "../store/load.ts";
import { reassemble } from "../store/large-record.ts";
import { type OnBytes, readPartition } from "../store/read-partition.ts";
import { cancelTimer, EARLY_MS, isFar, sendWake, wakeAt } from "../messaging/wake.ts";
import { wakeAwaited } from "../effects/wake-awaited.ts";

type Park = Extract<Step, { kind: "park" }>;

/**
 * @param isHeldBack an open circuit holds back an attempt that could be made
 * @returns `again` where the invocation can advance after all
 */
export async function park(
  engine: Engine,
  active: ActiveInvocation,
  step: Park,
  isHeldBack = false,
): Promise<"again" | "parked" | "lost"> {
  if (active.durable !== undefined) {
    await active.durable;
    delete active.durable;
  }
  if (active.dirty) {
    await readPoked(engine, active);
    return "again";
  }
  if (mayWaitHere(engine, active, step)) {
    await waitHere(engine, active, step);
    return active.lost ? "lost" : "again";
  }
  // Each awaited call gets a message before the park: a worker then drives the call, or delivers its result again
  // (docs/design.md#calls-are-driven-inline).
  await wakeAwaited(engine, active, active.parkedChildren);
  for (;;) {
    await writeDownInline(engine, active);
    if (!(await putDownUntil(engine, active, step))) return "lost";
    // Arrivals are read after the park is written: this read finds the earlier ones; a later one sends its own wake (I4).
    await readArrivals(engine, active);
    const next = advance(active.invocation, {
      kind: "poll",
      atMs: engine.clock.nowMs(),
      arrivals: [...active.arrivals.values()],
      holdsLock: active.lock !== undefined,
    });
    const advances =
      next.segment !== undefined ||
      (next.step.kind === "attempt" && !isHeldBack) ||
      next.step.kind === "end" ||
      // A driver that has claimed a keyed invocation may not have read the lock yet, so it goes on and acquires it.
      (next.step.kind === "acquire" && step.status !== "pending") ||
      (step.status === "pending" && (await hasComeToHold(engine, active)));
    if (advances && !active.stopping && step.status !== "ready") return await takeUpAgain(engine, active);
    // A child may have ended while the park was written: its result must not stay in memory alone.
    if (active.results.size === 0 || ![...active.arrivals.keys()].some((key) => active.results.has(key))) {
      // From here on children deliver their results through the table: no code reads a result in memory any more.
      active.open = false;
      return "parked";
    }
    if ((await takeUpAgain(engine, active)) === "lost") return "lost";
  }
}

/** An ingress driver has no message of its own, so it sends a backstop before it claims again (I4). */
async function takeUpAgain(engine: Engine, active: ActiveInvocation): Promise<"again" | "lost"> {
  if (!active.messageDriven) await sendWake(engine, active.invocation.acceptance, engine.settings.leaseMs);
  return (await reclaim(engine, active)) ? "again" : "lost";
}

/** Children driven along and short delays end soon: the driver keeps the lease and writes nothing. */
function mayWaitHere(engine: Engine, active: ActiveInvocation, { status, wakeAtMs }: Park): boolean {
  if (active.stopping || isLarge(active.invocation.journal)) return false;
  if (status === "suspended" && active.children.size > 0) return true;
  return (
    status === "backing-off" &&
    wakeAtMs !== undefined &&
    wakeAtMs - engine.clock.nowMs() <= engine.settings.waitInDriverMaxMs
  );
}

const CHILDREN_WAIT_MAX_MS = 3_600_000;

async function waitHere(engine: Engine, active: ActiveInvocation, { wakeAtMs }: Park): Promise<void> {
  const ms = wakeAtMs === undefined ? CHILDREN_WAIT_MAX_MS : Math.max(0, wakeAtMs - engine.clock.nowMs());
  const over = new AbortController();
  active.interrupt = () => over.abort();
  await engine.clock.sleep(ms, over.signal);
  delete active.interrupt;
}

/** Another party wrote an arrival or a sink while the driver was active. */
async function readPoked(engine: Engine, active: ActiveInvocation): Promise<void> {
  active.dirty = false;
  active.sinkSuspected = true;
  await readArrivals(engine, active);
}

/** How often a driver reads arrivals between attempts, where its process is not the sole owner. */
const READ_EVERY_MS = 1_000;

/** Reads arrivals between two attempts without a park: a cancel or an order must not wait for the last attempt. */
export async function readMeanwhile(engine: Engine, active: ActiveInvocation): Promise<void> {
  if (active.dirty) return await readPoked(engine, active);
  const nowMs = engine.clock.nowMs();
  active.arrivalsReadAtMs ??= nowMs;
  // In a sole owner every writer marks the active invocation as dirty.
  if (engine.settings.exclusiveOwnerPrefix !== undefined || nowMs - active.arrivalsReadAtMs < READ_EVERY_MS) return;
  await readArrivals(engine, active);
}

/** @throws NoJournalRoomError where large arrivals find no room in time */
export async function readArrivals(engine: Engine, active: ActiveInvocation): Promise<void> {
  const { invocation } = active;
  active.arrivalsReadAtMs = engine.clock.nowMs();
  const { nonce } = invocation.acceptance;
  const read = async (onBytes?: OnBytes) => {
    const found = await readPartition(engine.table, active.pk, ARRIVALS, Infinity, onBytes);
    return await reassemble(engine, found, nonce, onBytes);
  };
  // The arrivals may be larger than the journal was at its load.
  const items = await (active.journalRoom?.readBeside(read) ?? read());
  for (const [key, arrival] of freshArrivals(items, invocation, nonce)) {
    active.arrivals.set(key, arrival);
    active.results.delete(key);
  }
}

/** Writes the results that are only in memory as arrivals, so that the next driver reads them. */
async function writeDownInline(engine: Engine, active: ActiveInvocation): Promise<void> {
  const { acceptance } = active.invocation;
  const keptUntilS = keepUntilS(engine.settings, acceptance, engine.clock.nowMs(), active.leaseRecord?.keepUntilS);
  const to = { id: active.id, nonce: acceptance.nonce, keptUntilS };
  await atMost(AT_ONCE, [...active.results], async ([key, { completionId, result }]) => {
    const arrival = active.arrivals.get(key);
    if (arrival?.kind === "notification") {
      await writeArrival(engine, to, key, { kind: "notification", id: { completionId }, result });
      active.arrivals.set(key, { ...arrival, consumption: { ...arrival.consumption, inline: false } });
    }
    active.results.delete(key);
  });
}

/**
 * A wake that is not near is set before the park is written: a driver that dies in between leaves a needless wake, but
 * never a park without a wake. A near wake is sent after the park, because it could otherwise come before it: where the
 * driver dies in between, its backstop finds the park and is sent again for the moment of the park.
 * @returns false where another process has the lease
 */
async function putDownUntil(engine: Engine, active: ActiveInvocation, { status, wakeAtMs }: Park): Promise<boolean> {
  const { acceptance } = active.invocation;
  const isNear = wakeAtMs === undefined || wakeAtMs - engine.clock.nowMs() <= EARLY_MS;
  const former = active.timerAtMs ?? active.leaseRecord?.timerAtMs;
  const isSet = wakeAtMs !== undefined && wakeAtMs === former && isFar(engine, wakeAtMs);
  if (!isNear && !isSet) {
    const isTimer = isFar(engine, wakeAtMs);
    await wakeAt(engine, acceptance, wakeAtMs);
    // Set only after the timer exists: a renewal may write the lease record, with this moment, meanwhile.
    if (isTimer) active.timerAtMs = wakeAtMs;
  }
  if (!(await release(engine, active, status, wakeAtMs))) return false;
  if (isNear && wakeAtMs !== undefined) await wakeAt(engine, acceptance, wakeAtMs);
  if (status === "ready") await sendWake(engine, acceptance, 0);
  // Cancelled only after the park, whose lease record no longer counts on the former timer.
  if (former !== undefined && former !== (active.timerAtMs ?? former)) await cancelTimer(engine, acceptance, former);
  return true;
}
