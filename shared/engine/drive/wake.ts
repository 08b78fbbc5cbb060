/** Sending wakes: hints to look at an invocation, now or later (I8). */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Ticket, Wake } from "../ports/queue.ts";
import type { Engine } from "../engine.ts";

/** Tells whoever drives, here or elsewhere, that something was written. The caller has written it before (I3). */
export async function wakeNow(engine: Engine, invocationId: InvocationId): Promise<void> {
  engine.drives.poke(invocationId);
  await sendWake(engine, invocationId, 0);
}

/** @param delayMs at most what the queue takes */
export async function sendWake(engine: Engine, invocationId: InvocationId, delayMs: number): Promise<Ticket> {
  return await engine.queue.send({
    invocationId,
    sentAtMs: engine.clock.nowMs(),
    delayMs: Math.max(0, Math.ceil(delayMs)),
  });
}

/** @param cause names the wake among those of this life: the same cause is set once (I7) */
export async function wakeAt(
  engine: Engine,
  id: InvocationId,
  nonce: Nonce,
  wakeAtMs: number,
  cause: string,
): Promise<void> {
  const delayMs = wakeAtMs - engine.clock.nowMs();
  if (delayMs <= engine.settings.queueDelayMaxMs) await sendWake(engine, id, delayMs);
  else await engine.timers.at({ name: `${id}.${nonce}.${cause}`, invocationId: id, wakeAtMs });
}

/** So near to a moment, a message that does not say what it stands for is sent on to that moment. */
export const EARLY_MS = 90_000;

/**
 * Sends a message in place of one that came too early. Where one is under way that will come no later, it stands for both:
 * otherwise every message to one running attempt would go round beside all others until its end (I11).
 */
export async function sendInPlace(engine: Engine, came: Wake, delayMs: number): Promise<void> {
  const nowMs = engine.clock.nowMs();
  const { standing } = engine.drives;
  const wake = { invocationId: came.invocationId, sentAtMs: nowMs, delayMs: Math.max(0, Math.ceil(delayMs)) };
  const dueAtMs = nowMs + wake.delayMs;
  const other = standing.before(came, nowMs, dueAtMs, EARLY_MS);
  if (other !== undefined) return void (await other.sent);
  const sent = engine.queue.send(wake);
  standing.note({ wake, dueAtMs, sent }, nowMs);
  await sent;
}
