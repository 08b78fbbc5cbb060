/** Finds out whether final effects are missing, as after the death of a driver whose message is lost (I2, I8). */
import { type Effect, effectsOf } from "../../core/invocation/effects.ts";
import { isMadeByCall } from "../../core/invocation/acceptance.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { parseAwakeableId } from "../../core/protocol/awakeable-id.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import { isLaterLife } from "../messaging/later-life.ts";
import { isRunOpen } from "../effects/note-run.ts";
import { signalArrival } from "../effects/perform.ts";
import type { Engine } from "../engine.ts";
import { isCompletedAndNotified } from "../lock/promises.ts";
import { isResultVisible } from "../lock/object-lock.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import {
  ACCEPTANCE_SK,
  arrivalKey,
  awakeableArrival,
  completionArrival,
  EARLY,
  invocationPk,
  momentOfPlace,
} from "../store/item-keys.ts";
import { hasExpired, load, type Loaded, unperformed } from "../store/load.ts";
import { acceptanceIn, existingAcceptance } from "../store/acceptance-record.ts";

/**
 * Reads the target of each final effect. A lease record written after the end shows that the effects were performed. Most
 * invocations have no such record, because it would cost one more write for each.
 * @returns false also if the end is more than a day old. Then targets may have expired, and a redo would create them again. Looked
 *   for at any age are the give-back of a key, because its state counts under its grant however late it comes (I6), and what an open
 *   invocation of that time still waits for
 */
export async function isLeftUndone(engine: Engine, loaded: Loaded): Promise<boolean> {
  const { phase } = loaded.invocation;
  const last = unperformed(loaded);
  if (phase.status !== "completed" || last === undefined) return false;
  const { endedAtMs } = phase;
  const isOld = engine.clock.nowMs() - endedAtMs >= DAY_MS;
  const effects = effectsOf(last.before, last.segment).filter(({ kind }) => !isOld || MAKES_NOTHING.has(kind));
  let isUndone = false;
  await atMost(AT_ONCE, effects, async (effect) => {
    if (!isUndone && (await isNotPerformed(engine, loaded, endedAtMs, effect))) isUndone = true;
  });
  return isUndone;
}

/** The effects that create no invocation: they write the state of a key or a schedule, or an arrival that its addressee takes once. */
const MAKES_NOTHING: ReadonlySet<Effect["kind"]> = new Set([
  "give-back",
  "close-workflow",
  "signal",
  "complete-awakeable",
  "note-run",
]);

/** True if the target of the effect shows that the effect was not performed. */
async function isNotPerformed(
  engine: Engine,
  { invocation, arrivals }: Loaded,
  endedAtMs: number,
  effect: Effect,
): Promise<boolean> {
  switch (effect.kind) {
    case "accept-child":
      return await isNotAccepted(engine, effect.childId, endedAtMs);
    case "signal":
      return await hasNotArrived(engine, effect.invocationId as InvocationId, signalArrival(effect), endedAtMs);
    case "complete-awakeable": {
      const { kind, invocationId, index } = parseAwakeableId(effect.awakeableId);
      return kind === "signal" && (await hasNotArrived(engine, invocationId, awakeableArrival(index), endedAtMs));
    }
    case "kill-child":
      return await isNotKilled(engine, arrivals, effect);
    case "note-run":
      return await isRunOpen(engine, effect);
    case "give-back":
    case "close-workflow":
      return !(await isResultVisible(engine, invocation));
    case "complete-promise":
      return !(await isCompletedAndNotified(engine, invocation.acceptance.target, effect, endedAtMs));
    // `deliver` and `answer-sinks` need no check: the driver of an invocation that waits for the result asks for it again. A
    // completed invocation has none of the other effects; its state is applied by `give-back` or `close-workflow`.
    case "apply-state":
    case "deliver":
    case "answer-sinks":
    case "attach":
    case "get-output":
    case "get-promise":
    case "leave-queue":
      return false;
  }
}

/**
 * True if the child has no acceptance from this effect. A purge does not explain the absence, because it keeps the acceptance
 * of a child. Under an idempotency key or a workflow id, the stored acceptance may belong to a former life, which had expired
 * before the parent ended.
 */
async function isNotAccepted(engine: Engine, id: InvocationId, endedAtMs: number): Promise<boolean> {
  const key = { pk: invocationPk(engine.settings.keyPrefix, id), sk: ACCEPTANCE_SK };
  const first = await engine.table.get(key);
  if (first === undefined) return true;
  if (momentOfPlace(String(first["listSk"])) >= endedAtMs) return false;
  const loaded = await load(engine, id);
  return (
    loaded === undefined || (loaded.invocation.acceptance.createdAtMs < endedAtMs && hasExpired(loaded, endedAtMs))
  );
}

/**
 * True if the addressee lacks the arrival. False also if the addressee no longer counts: its journal was dropped with its
 * arrivals, or its life began after the end of the sender.
 */
async function hasNotArrived(engine: Engine, id: InvocationId, key: string, endedAtMs: number): Promise<boolean> {
  const first = await existingAcceptance(engine, id);
  if (first === undefined || first["end"] === true) return false;
  if (await isLaterLife(engine, id, first, key, endedAtMs)) return false;
  for (const owner of [first["n"] as Nonce, EARLY])
    if ((await engine.table.get(arrivalKey(first.pk, owner, key))) !== undefined) return false;
  return true;
}

/** True if the child lacks its kill order. False if its call has a result, or its id belongs to another call or a later life. */
async function isNotKilled(
  engine: Engine,
  arrivals: Loaded["arrivals"],
  { childId, ...call }: Extract<Effect, { kind: "kill-child" }>,
): Promise<boolean> {
  if (arrivals.has(completionArrival(call.completionId))) return false;
  const first = await existingAcceptance(engine, childId);
  if (first === undefined || first["end"] === true) return false;
  if (!isMadeByCall(await acceptanceIn(engine, childId, first), call)) return false;
  return (await engine.table.get(arrivalKey(first.pk, first["n"] as Nonce, "kill"))) === undefined;
}
