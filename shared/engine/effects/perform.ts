/** Performs the effects of a durable segment. Ids are derived and puts are conditional, so each effect may be redone (I2). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { effectsOf, type Effect } from "../../core/invocation/effects.ts";
import { CANCEL_SIGNAL, type Lookup } from "../../core/protocol/command-parts.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { Result } from "../../core/model/failure.ts";
import { serviceOf, type Target } from "../../core/model/target.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import { parseAwakeableId } from "../../core/protocol/awakeable-id.ts";
import { answerSinks, writeSink } from "./attach-sink.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import { acceptChildInTurn, leaveSlot } from "./child.ts";
import { closeWorkflow } from "../lock/close-workflow.ts";
import { complete, completionOf, deliverResult, deliverSignal, orderKillOfCall } from "../messaging/deliver.ts";
import { findAccepted } from "../messaging/find-accepted.ts";
import { idOfLookup } from "../accept/invocation-ids.ts";
import { noteRun } from "./note-run.ts";
import type { Performance, Performer } from "./performer.ts";
import type { Engine } from "../engine.ts";
import { applyState, giveBack } from "../lock/give-back.ts";
import { leaveQueue } from "../lock/leave-queue.ts";
import type { ActiveInvocation, InlineCaller } from "../local/active-invocation.ts";
import { awakeableArrival, completionArrival } from "../store/item-keys.ts";
import { hasExpired, withLoaded } from "../store/load.ts";
import { awaitPromise, completePromise } from "../lock/promises.ts";
import { wakeNow } from "../messaging/wake.ts";

const NOT_FOUND: Result = { kind: "failure", failure: { code: 404, message: "not found" } };

/**
 * Performs changes of state first, then the other effects by lanes (`lanesOf`), then the final effects. Of the final effects,
 * the deliveries of the result come first, in order; the kills of calls follow, many at the same time.
 * @param isRedo true if the segment was read back: its effects may have been performed, and their targets may be gone
 * @param driver the driver of the invocation; a recovery has none, and leaves all calls to the queue
 * @returns the calls that the driver drives along
 */
export async function perform(
  engine: Engine,
  by: Performer,
  before: Invocation,
  segment: Segment,
  { isRedo = false, driver }: { readonly isRedo?: boolean; readonly driver?: ActiveInvocation } = {},
): Promise<readonly ActiveInvocation[]> {
  const effects = effectsOf(before, segment).filter((effect) => !isAnswered(by, effect));
  if (effects.length === 0) return [];
  const performance = { by, driver, redoOfMs: isRedo ? segment.writtenAtMs : undefined };
  const [final, first] = [effects.filter(isFinal), effects.filter((effect) => !isFinal(effect) && !isState(effect))];
  // State is written first, so that a callee reads the state as the handler left it before the call.
  for (const effect of effects) if (isState(effect)) await performOne(engine, performance, effect, 0);
  let room = driver?.children.room ?? 0;
  const children: ActiveInvocation[] = [];
  try {
    await atMost(AT_ONCE, lanesOf(engine, by.invocation.acceptance.target, first), async (lane) => {
      for (const effect of lane) {
        const child = await performOne(engine, performance, effect, isCall(effect) ? room-- : 0);
        if (child !== undefined) children.push(child);
      }
    });
    for (const effect of final) if (!isKill(effect)) await performOne(engine, performance, effect, 0);
    // The kills have no order among themselves, and an invocation may have a thousand open calls.
    const kills = final.filter(isKill);
    if (kills.length > 0) await atMost(AT_ONCE, kills, (effect) => performOwn(engine, performance, effect));
  } catch (error) {
    for (const child of children) leaveSlot(engine, child);
    throw error;
  }
  return children;
}

/**
 * True for effects on state and lock. They come before the result: a caller that gets the result and calls again finds
 * the state written and the lock free.
 */
function isState({ kind }: Effect): boolean {
  return kind === "apply-state" || kind === "give-back" || kind === "close-workflow";
}

/** A fresh arrival with the completion shows that the effect was performed; performing it again costs a refused write. */
function isAnswered({ inbox }: Performer, effect: Effect): boolean {
  return (
    "completionId" in effect &&
    effect.completionId !== undefined &&
    effect.kind !== "deliver" &&
    inbox.has(completionArrival(effect.completionId))
  );
}

/** Only calls are driven along; sends go to the queue and take no room. */
function isCall(effect: Effect): boolean {
  return effect.kind === "accept-child" && effect.completionId !== undefined;
}

function isFinal({ kind }: Effect): boolean {
  return kind === "deliver" || kind === "answer-sinks" || kind === "note-run" || kind === "kill-child";
}

function isKill(effect: Effect): effect is Extract<Effect, { kind: "kill-child" }> {
  return effect.kind === "kill-child";
}

async function performOne(
  engine: Engine,
  performance: Performance,
  effect: Effect,
  room: number,
): Promise<ActiveInvocation | undefined> {
  if (effect.kind === "accept-child") return await acceptChildInTurn(engine, performance, effect, room);
  await performOwn(engine, performance, effect);
  return undefined;
}

async function performOwn(
  engine: Engine,
  { by, driver, redoOfMs }: Performance,
  effect: Exclude<Effect, { kind: "accept-child" }>,
): Promise<void> {
  switch (effect.kind) {
    case "signal": {
      const { invocationId, signal, result } = effect;
      await deliverSignal(engine, invocationId as InvocationId, signalArrival(effect), signal, result, redoOfMs);
      return;
    }
    case "complete-awakeable":
      return await completeAwakeable(engine, effect.awakeableId, effect.result, redoOfMs);
    case "attach":
      return await attachTo(engine, by, effect.lookup, effect.completionId);
    case "get-output":
      return await outputOf(engine, by, effect.lookup, effect.completionId);
    case "deliver":
      return await deliver(engine, by.invocation, driver?.origin.caller, effect);
    case "answer-sinks":
      if (driver === undefined || mayHaveSinks(driver))
        await answerSinks(engine, by.invocation.acceptance, effect.result);
      return;
    case "note-run":
      return await noteRun(engine, effect);
    case "kill-child":
      return await orderKillOfCall(engine, effect);
    case "get-promise":
      return await awaitPromise(engine, by, effect);
    case "complete-promise":
      return await completePromise(engine, by, effect, redoOfMs);
    case "apply-state":
      return await applyState(engine, by, effect.changes);
    case "give-back":
      return await giveBack(engine, by, effect.changes);
    case "leave-queue":
      return await leaveQueue(engine, by);
    case "close-workflow":
      return await closeWorkflow(engine, by, effect);
  }
}

/**
 * False if neither a message nor an item for the invocation has come to this driver, and the driver has no lease record. If
 * another invocation has attached all the same, its wake is still to come, because it sends the wake after it has written its
 * sink. The driver that takes the wake then reads the sinks.
 */
function mayHaveSinks({ origin, inbox, lease }: ActiveInvocation): boolean {
  return origin.messageDriven || inbox.mayHaveSink || lease.record !== undefined;
}

/** @param redoOfMs as for `deliverSignal`. @throws IdError for an id that does not parse */
export async function completeAwakeable(
  engine: Engine,
  awakeableId: string,
  result: Result | undefined,
  redoOfMs?: number,
): Promise<void> {
  const { kind, invocationId, index } = parseAwakeableId(awakeableId);
  if (kind !== "signal") return;
  await deliverSignal(engine, invocationId, awakeableArrival(index), { index }, result, redoOfMs);
}

/**
 * A caller whose driver drives this invocation along gets the result in memory, every other caller as an arrival
 * (docs/design.md#calls-are-driven-inline).
 */
async function deliver(
  engine: Engine,
  { acceptance: { source } }: Invocation,
  caller: InlineCaller | undefined,
  { callerId, callerNonce, completionId, result }: Extract<Effect, { kind: "deliver" }>,
) {
  if (caller !== undefined && mayTake(caller.active, result)) {
    completionOf(caller.active, completionId, result, engine.clock.nowMs());
    return;
  }
  const target = source.kind === "call" && { target: { service: serviceOf(source.callerTarget) } };
  await deliverResult(engine, { id: callerId, nonce: callerNonce, ...target }, completionId, result);
}

function mayTake({ inbox, lease }: ActiveInvocation, result: Result): boolean {
  return inbox.isOpen && !lease.isLost && inbox.hasRoomFor(result);
}

async function attachTo(engine: Engine, by: Performer, lookup: Lookup, completionId: number): Promise<void> {
  await lookUp(engine, lookup, async (found) => {
    if (found === undefined || found.kind === "ended")
      return await complete(engine, by, completionId, found?.result ?? NOT_FOUND);
    const { id, nonce, target } = by.invocation.acceptance;
    await writeSink(engine, found.acceptance, { id, nonce, target }, completionId, found.extendedUntilS);
    await wakeNow(engine, found.acceptance);
  });
}

async function outputOf(engine: Engine, by: Performer, lookup: Lookup, completionId: number): Promise<void> {
  await lookUp(engine, lookup, async (found) => {
    const result = found === undefined ? NOT_FOUND : found.kind === "ended" ? found.result : undefined;
    await complete(engine, by, completionId, result);
  });
}

type Found =
  | { readonly kind: "open"; readonly acceptance: Acceptance; readonly extendedUntilS: number | undefined }
  | { readonly kind: "ended"; readonly result: Result };

/**
 * Waits for an acceptance that is under way, because the handler of the looked-up invocation may have passed on the id already.
 * @param use gets what was found. Large loads take turns, and the turn of a large load lasts until `use` has ended, so that few
 *   large results are in memory at a time
 */
async function lookUp(engine: Engine, lookup: Lookup, use: (found: Found | undefined) => Promise<void>): Promise<void> {
  const id = idOfLookup(engine, lookup);
  const found = id && (await findAccepted(engine, id, () => usedIfKept(engine, id, use)));
  if (found === undefined) await use(undefined);
}

/** @returns undefined without a call of `use` if there is no such invocation, or if its retention is over */
async function usedIfKept(
  engine: Engine,
  id: InvocationId,
  use: (found: Found) => Promise<void>,
): Promise<true | undefined> {
  return await withLoaded(engine, id, async (loaded) => {
    if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return undefined;
    const { acceptance, phase } = loaded.invocation;
    if (phase.status === "completed") await use({ kind: "ended", result: phase.result });
    else await use({ kind: "open", acceptance, extendedUntilS: loaded.leaseRecord?.keepUntilS });
    return true;
  });
}

type Signal = Extract<Effect, { kind: "signal" }>;

/** Each CANCEL and each named signal takes effect, but only the first completion of an awakeable does. */
export function signalArrival({ signal, senderKey }: Signal): string {
  return isOnce(signal) ? awakeableArrival(signal.index) : `x${senderKey}`;
}

function isOnce(signal: Signal["signal"]): signal is { readonly index: number } {
  return "index" in signal && signal.index !== CANCEL_SIGNAL;
}

interface Lane {
  /** The places of the effects among all effects, which is the order of their commands. */
  readonly places: number[];
  readonly names: string[];
}

/**
 * Two sends to one key are accepted in the order of their commands (I6), a lookup finds the invocation that a command before it
 * made, and the signals to one invocation arrive in order (I2).
 * @param by the target of the invocation that performs the effects
 * @returns lanes, each in the order of the commands
 */
export function lanesOf(engine: Engine, by: Target, effects: readonly Effect[]): readonly (readonly Effect[])[] {
  if (effects.length < 2) return effects.length === 0 ? [] : [effects];
  const lanes = new Lanes();
  const own = ownKey(by, effects);
  for (const [place, effect] of effects.entries()) lanes.add(place, concerns(engine, effect, own));
  return lanes.inOrder().map((places) => places.map((place) => effects[place]!));
}

class Lanes {
  readonly #all = new Set<Lane>();
  readonly #byName = new Map<string, Lane>();

  add(place: number, names: readonly string[]): void {
    let lane: Lane | undefined;
    for (const name of names) {
      const found = this.#byName.get(name);
      if (found !== undefined && found !== lane) lane = lane === undefined ? found : this.#joined(lane, found);
    }
    lane ??= { places: [], names: [] };
    this.#all.add(lane);
    lane.places.push(place);
    for (const name of names) if (this.#byName.get(name) !== lane) this.#name(lane, name);
  }

  inOrder(): readonly (readonly number[])[] {
    return [...this.#all].map(({ places }) => places.sort((one, other) => one - other));
  }

  /** The shorter lane goes into the longer one, so that many joins take little more time than one. */
  #joined(one: Lane, other: Lane): Lane {
    const [long, short] = one.places.length < other.places.length ? [other, one] : [one, other];
    for (const place of short.places) long.places.push(place);
    for (const name of short.names) this.#name(long, name);
    this.#all.delete(short);
    return long;
  }

  #name(lane: Lane, name: string): void {
    lane.names.push(name);
    this.#byName.set(name, lane);
  }
}

/** The names of the things that an effect reads or changes. Two effects that share a name keep their order. */
function concerns(engine: Engine, effect: Effect, own: string | undefined): string[] {
  switch (effect.kind) {
    case "accept-child": {
      const key = keyOf(effect);
      return key === undefined ? [effect.childId] : [effect.childId, key];
    }
    case "attach":
    case "get-output": {
      const id = idOfLookup(engine, effect.lookup);
      return id === undefined ? [] : [id];
    }
    case "signal":
      return [effect.invocationId];
    case "complete-awakeable":
      return [parseAwakeableId(effect.awakeableId).invocationId];
    case "complete-promise":
    case "get-promise":
      return own === undefined ? [`promise#${effect.name}`] : [`promise#${effect.name}`, own];
    case "apply-state":
    case "give-back":
    case "leave-queue":
    case "close-workflow":
    case "deliver":
    case "answer-sinks":
    case "note-run":
    case "kill-child":
      return [];
  }
}

/**
 * The key of the invocation itself, if one of its effects calls a handler of this key: the handler sees the promises that the
 * commands before the call completed, and none that the commands after the call complete.
 */
function ownKey({ service, key }: Target, effects: readonly Effect[]): string | undefined {
  if (key === undefined) return undefined;
  const own = keyName(service, key);
  return effects.some((effect) => effect.kind === "accept-child" && keyOf(effect) === own) ? own : undefined;
}

function keyOf({ child, types }: Extract<Effect, { kind: "accept-child" }>): string | undefined {
  const { service, key } = child.target;
  if (key !== undefined) return keyName(service, key);
  return types === undefined || types.serviceType === "service" ? undefined : keyName(service, "");
}

function keyName(service: string, key: string): string {
  return `key#${service}#${key}`;
}
