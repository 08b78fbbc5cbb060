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

/** @param cause names the wake among those of this life: the same cause is set once (I7) */
export async function wakeAt(
  engine: Engine,
  to: Recipient & { readonly nonce: Nonce },
  wakeAtMs: number,
  cause: string,
): Promise<void> {
  const delayMs = wakeAtMs - engine.clock.nowMs();
  if (delayMs <= engine.settings.queueDelayMaxMs) return void (await sendWake(engine, to, delayMs));
  const { id, nonce, target } = to;
  const name = `${id}.${nonce}.${cause}`;
  await engine.timers.at({ name, invocationId: id, wakeAtMs, ...(target && { service: target.service }) });
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
  const wake = wakeOf(to, nowMs, delayMs);
  const dueAtMs = nowMs + wake.delayMs;
  const other = standing.before(came, nowMs, dueAtMs, EARLY_MS);
  if (other !== undefined) return void (await other.sent);
  const sent = engine.queue.send(wake);
  standing.note({ wake, dueAtMs, sent }, nowMs);
  await sent;
}
