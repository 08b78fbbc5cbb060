/** Sends wakes: a wake is a hint to look at an invocation, now or later (I8). */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Target } from "../../core/model/target.ts";
import type { MessageHandle, Wake } from "../ports/queue.ts";
import type { Engine } from "../engine.ts";

/** The addressee of a wake. If the sender has only the id, the message names no service. */
export interface Recipient {
  readonly id: InvocationId;
  readonly target?: Pick<Target, "service">;
}

/** A recipient with a timer: the nonce separates its timers from those of another life under the same id. */
export interface Sleeper extends Recipient {
  readonly nonce: Nonce;
}

/** Notifies the driver, in this process or another, of a write. The caller has made the write durable before (I3). */
export async function wakeNow(engine: Engine, to: Recipient): Promise<void> {
  engine.activeInvocations.markDirty(to.id);
  await sendWake(engine, to, 0);
}

/** @param delayMs at most the longest delay of the queue */
export async function sendWake(engine: Engine, to: Recipient, delayMs: number): Promise<MessageHandle> {
  return await engine.queue.send(wakeOf(to, engine.clock.nowMs(), delayMs));
}

function wakeOf({ id: invocationId, target }: Recipient, sentAtMs: number, ms: number): Wake {
  const delayMs = Math.max(0, Math.ceil(ms));
  return target === undefined
    ? { invocationId, sentAtMs, delayMs }
    : { invocationId, sentAtMs, delayMs, service: target.service };
}

/** Sets a wake for a moment: a delayed message if the queue can delay one until then, else a timer. */
export async function wakeAt(engine: Engine, to: Sleeper, wakeAtMs: number): Promise<void> {
  if (isFar(engine, wakeAtMs)) await setTimer(engine, to, wakeAtMs);
  else await sendWake(engine, to, wakeAtMs - engine.clock.nowMs());
}

/** True for a moment beyond the longest delay of the queue. */
export function isFar({ clock, settings }: Pick<Engine, "clock" | "settings">, atMs: number): boolean {
  return atMs - clock.nowMs() > settings.queueDelayMaxMs;
}

/**
 * Sets the timer of a far moment. If the timer service fails, a message with the longest delay of the queue carries the moment:
 * the worker that receives it finds the invocation parked until that moment, and sets the timer again.
 */
async function setTimer(engine: Engine, to: Sleeper, wakeAtMs: number): Promise<void> {
  const { id: invocationId, target } = to;
  try {
    await engine.timers.at({
      name: timerName(to, wakeAtMs),
      invocationId,
      wakeAtMs,
      ...(target && { service: target.service }),
    });
  } catch (error) {
    engine.log.write("timer.set-failed", { invocationId, error: String(error) });
    const { settings, clock } = engine;
    await engine.queue.send({ ...wakeOf(to, clock.nowMs(), settings.queueDelayMaxMs), wakeAtMs });
  }
}

/**
 * Cancels the timer of a moment that its invocation no longer waits for. A timer that is not cancelled sends a needless wake,
 * which does no harm.
 */
export async function cancelTimer(engine: Engine, to: Sleeper, wakeAtMs: number): Promise<void> {
  // The timer of a near moment has fired already or is about to fire.
  if (!isFar(engine, wakeAtMs)) return;
  try {
    await engine.timers.cancel(timerName(to, wakeAtMs));
  } catch (error) {
    engine.log.write("timer.cancellation-failed", { invocationId: to.id, error: String(error) });
  }
}

/** One moment has one timer, however often the invocation parks until that moment (I7). */
function timerName({ id, nonce }: Sleeper, wakeAtMs: number): string {
  return `${id}.${nonce}.${wakeAtMs}`;
}

/**
 * The wake of a park counts as near if its moment is at most this far away. If a message without `wakeAtMs`, so one that is
 * from no timer, comes before that moment, a worker puts the message back only if the wake is near.
 */
export const EARLY_MS = 90_000;

/**
 * Sends a message in place of one that came too early. If another such message is under way and comes no later, that one is
 * enough: otherwise every message to a running attempt would be put back again and again until the attempt ends (I11).
 * @param to the addressee, with its service even if the received message named none
 */
export async function sendInPlace(engine: Engine, came: Wake, to: Recipient, delayMs: number): Promise<void> {
  const nowMs = engine.clock.nowMs();
  const { requeues } = engine.activeInvocations;
  const { wakeAtMs } = came;
  const wake = { ...wakeOf(to, nowMs, delayMs), ...(wakeAtMs !== undefined && { wakeAtMs }) };
  const dueAtMs = nowMs + wake.delayMs;
  const other = requeues.before(came, nowMs, dueAtMs, EARLY_MS);
  if (other !== undefined) return void (await other.sent);
  const sent = engine.queue.send(wake);
  requeues.note({ wake, dueAtMs, sent }, nowMs);
  await sent;
}
