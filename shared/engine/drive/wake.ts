/** Sending wakes: hints to look at an invocation, now or later (I8). */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Target } from "../../core/model/target.ts";
import type { Ticket, Wake } from "../ports/queue.ts";
import type { Engine } from "../engine.ts";

/** Whom a wake is for. An acceptance says all of it; where only the id is known, the message names no service. */
export interface Recipient {
  readonly id: InvocationId;
  readonly target?: Pick<Target, "service">;
}

/** A recipient that wakes at a moment: the nonce keeps its timers apart from those of another life under the same id. */
export interface Sleeper extends Recipient {
  readonly nonce: Nonce;
}

/** Tells whoever drives, here or elsewhere, that something was written. The caller has written it before (I3). */
export async function wakeNow(engine: Engine, to: Recipient): Promise<void> {
  engine.drives.poke(to.id);
  await sendWake(engine, to, 0);
}

/** @param delayMs at most what the queue takes */
export async function sendWake(engine: Engine, to: Recipient, delayMs: number): Promise<Ticket> {
  return await engine.queue.send(wakeOf(to, engine.clock.nowMs(), delayMs));
}

function wakeOf({ id: invocationId, target }: Recipient, sentAtMs: number, ms: number): Wake {
  const delayMs = Math.max(0, Math.ceil(ms));
  return target === undefined
    ? { invocationId, sentAtMs, delayMs }
    : { invocationId, sentAtMs, delayMs, service: target.service };
}

/** Sets the wake for a moment: a delayed message where the queue can delay it, else a timer. */
export async function wakeAt(engine: Engine, to: Sleeper, wakeAtMs: number): Promise<void> {
  if (isFar(engine, wakeAtMs)) await setTimer(engine, to, wakeAtMs);
  else await sendWake(engine, to, wakeAtMs - engine.clock.nowMs());
}

/** True for a moment that the queue cannot delay a message until. */
export function isFar({ clock, settings }: Pick<Engine, "clock" | "settings">, atMs: number): boolean {
  return atMs - clock.nowMs() > settings.queueDelayMaxMs;
}

/**
 * Sets the timer of a far moment. Where the timers fail, a message carries the moment as far as the queue can delay it:
 * whoever receives that message finds the invocation waiting for this very moment, and sets the timer again.
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
    engine.log.warn("a timer could not be set, and the queue stands in", { invocationId, error: String(error) });
    const { settings, clock } = engine;
    await engine.queue.send({ ...wakeOf(to, clock.nowMs(), settings.queueDelayMaxMs), wakeAtMs });
  }
}

/** Takes back the timer of a moment that is over for its invocation. A timer that stays fires for nothing, which does no harm. */
export async function cancelTimer(engine: Engine, to: Sleeper, wakeAtMs: number): Promise<void> {
  // What is near is a message by now, or will be one soon.
  if (!isFar(engine, wakeAtMs)) return;
  try {
    await engine.timers.cancel(timerName(to, wakeAtMs));
  } catch (error) {
    engine.log.warn("a timer could not be cancelled", { invocationId: to.id, error: String(error) });
  }
}

/** Of one moment there is one timer, however often the invocation parks until then (I7). */
function timerName({ id, nonce }: Sleeper, wakeAtMs: number): string {
  return `${id}.${nonce}.${wakeAtMs}`;
}

/** So near to a moment, a message that does not say what it stands for is sent on to that moment. */
export const EARLY_MS = 90_000;

/**
 * Sends a message in place of one that came too early. Where one is under way that will come no later, it stands for both:
 * otherwise every message to one running attempt would go round beside all others until its end (I11).
 * @param to whom it is for, who may be better known than to the sender of what came
 */
export async function sendInPlace(engine: Engine, came: Wake, to: Recipient, delayMs: number): Promise<void> {
  const nowMs = engine.clock.nowMs();
  const { standing } = engine.drives;
  const { wakeAtMs } = came;
  const wake = { ...wakeOf(to, nowMs, delayMs), ...(wakeAtMs !== undefined && { wakeAtMs }) };
  const dueAtMs = nowMs + wake.delayMs;
  const other = standing.before(came, nowMs, dueAtMs, EARLY_MS);
  if (other !== undefined) return void (await other.sent);
  const sent = engine.queue.send(wake);
  standing.note({ wake, dueAtMs, sent }, nowMs);
  await sent;
}
