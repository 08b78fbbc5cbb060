/** Waiting: short waits inside the driver, longer ones by putting the invocation down so that a wake brings it back. */
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
import { readPartition } from "../store/read-partition.ts";
import { cancelTimer, EARLY_MS, isFar, sendWake, wakeAt } from "../messaging/wake.ts";
import { wakeAwaited } from "../effects/wake-awaited.ts";

type Park = Extract<Step, { kind: "park" }>;

/**
 * @param isHeldBack an open circuit keeps the invocation from an attempt that it could make
 * @returns `again` if the invocation can advance after all
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
  // A message for each awaited call goes out before the park (docs/design.md#calls-are-driven-inline): the call is driven
  // then, or delivers its result again.
  await wakeAwaited(engine, active, active.parkedChildren);
  for (;;) {
    await writeDownInline(engine, active);
    if (!(await putDownUntil(engine, active, step))) return "lost";
    // I4: arrivals are read after the park is written. What came before it is seen here; what comes later brings its own wake.
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
      // Who took over what runs under a lock has not looked at the lock yet, and knows only that there is something to do.
      (next.step.kind === "acquire" && step.status !== "pending") ||
      (step.status === "pending" && (await hasComeToHold(engine, active)));
    if (advances && !active.stopping && step.status !== "ready") return await takeUpAgain(engine, active);
    // A child may have ended while the park was written: its result must not be left in memory alone.
    if (active.results.size === 0 || ![...active.arrivals.keys()].some((key) => active.results.has(key))) {
      // From this very check on results go through the table: one brought to memory now would be seen by nobody.
      active.open = false;
      return "parked";
    }
    if ((await takeUpAgain(engine, active)) === "lost") return "lost";
  }
}

/** An ingress driver has no message of its own: before it claims again it sends one, or its crash would leave nobody (I4). */
async function takeUpAgain(engine: Engine, active: ActiveInvocation): Promise<"again" | "lost"> {
  if (!active.messageDriven) await sendWake(engine, active.invocation.acceptance, engine.settings.leaseMs);
  return (await reclaim(engine, active)) ? "again" : "lost";
}

/** Children being driven along end soon, and so do short delays: the hold is kept and nothing is written. */
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

/** Somebody wrote for this invocation while it was driven: an arrival, or a sink. */
async function readPoked(engine: Engine, active: ActiveInvocation): Promise<void> {
  active.dirty = false;
  active.sinkSuspected = true;
  await readArrivals(engine, active);
}

/** So often a driver whose process does not own the store alone looks for what others wrote, attempt after attempt. */
const READ_EVERY_MS = 1_000;

/** Between two attempts that follow each other without a park: a cancel or an order must not wait for the last of them. */
export async function readMeanwhile(engine: Engine, active: ActiveInvocation): Promise<void> {
  if (active.dirty) return await readPoked(engine, active);
  const nowMs = engine.clock.nowMs();
  active.arrivalsReadAtMs ??= nowMs;
  // In a process that owns the store alone, whoever writes pokes.
  if (engine.settings.exclusiveOwnerPrefix !== undefined || nowMs - active.arrivalsReadAtMs < READ_EVERY_MS) return;
  await readArrivals(engine, active);
}

export async function readArrivals(engine: Engine, active: ActiveInvocation): Promise<void> {
  const { invocation } = active;
  active.arrivalsReadAtMs = engine.clock.nowMs();
  const { nonce } = invocation.acceptance;
  const items = await reassemble(engine, await readPartition(engine.table, active.pk, ARRIVALS), nonce);
  for (const [key, arrival] of freshArrivals(items, invocation, nonce)) {
    active.arrivals.set(key, arrival);
    active.results.delete(key);
  }
}

/** What only memory knows becomes an arrival item, so that whoever drives next finds it. */
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
 * A wake that is not near is set before the park is written: a driver that dies in between leaves a wake for nothing, and
 * never a park without a wake. A near one is sent behind the park, or it would come before it: where the driver dies in
 * between, the message that finds the park is sent on to its moment.
 */
async function putDownUntil(engine: Engine, active: ActiveInvocation, { status, wakeAtMs }: Park): Promise<boolean> {
  const { acceptance } = active.invocation;
  const isNear = wakeAtMs === undefined || wakeAtMs - engine.clock.nowMs() <= EARLY_MS;
  const former = active.timerAtMs ?? active.leaseRecord?.timerAtMs;
  const isSet = wakeAtMs !== undefined && wakeAtMs === former && isFar(engine, wakeAtMs);
  if (!isNear && !isSet) {
    const isTimer = isFar(engine, wakeAtMs);
    await wakeAt(engine, acceptance, wakeAtMs);
    // Not before: a renewal of the lease may write the hold meanwhile.
    if (isTimer) active.timerAtMs = wakeAtMs;
  }
  if (!(await release(engine, active, status, wakeAtMs))) return false;
  if (isNear && wakeAtMs !== undefined) await wakeAt(engine, acceptance, wakeAtMs);
  if (status === "ready") await sendWake(engine, acceptance, 0);
  // Behind the park, which does not count on the former timer any more.
  if (former !== undefined && former !== (active.timerAtMs ?? former)) await cancelTimer(engine, acceptance, former);
  return true;
}
