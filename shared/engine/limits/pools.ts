/** Asks the pools of an invocation for places before it runs, and gives the places back when it stops (ADR 51). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { Pool, RuleBook, Subject } from "../../core/limits/rule-book.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { Gate } from "../store/pool-items.ts";
import { leaseRecordKey } from "../store/item-keys.ts";
import { readLeaseRecord } from "../store/lease-record.ts";
import type { Loaded } from "../store/load.ts";
import { knowsEveryDriver } from "../ports/store-ownership.ts";
import { joinLine, leaveLine, turnKeyOf } from "./line.ts";
import { countWait, observeWait } from "./wait-metrics.ts";
import { lookAtOneHolder, wakeIdleHolders } from "./look-at-holder.ts";
import { giveBack, giveBackAll, type IsMine, serve } from "./give-back.ts";
import { hasPlace } from "./holders.ts";
import { takeInAnyCase, takeOrWait } from "./places.ts";
import {
  callForService,
  hasToken,
  passPumpOn,
  passStart,
  releaseStarts,
  serveStarts,
  TOKEN_KEPT_MS,
} from "./starts.ts";

export function subjectOf({ target, limitKey }: Pick<Acceptance, "target" | "limitKey">): Subject {
  const { service, handler, scope } = target;
  return { service, handler, scope, limitKey };
}

/**
 * Takes a place in each pool, narrow ones first: while it waits for a wider one it keeps the narrow ones, because all others of the
 * narrow pool would wait there, too. Costs nothing without rules.
 * @returns `waits` after the turn is written, and `active.lease` names the gate
 */
export function enterPools(engine: Engine, active: ActiveInvocation): "go" | "waits" | Promise<"go" | "waits"> {
  active.places.goOut();
  const rules = engine.registry.rules();
  if (!(rules instanceof Promise) && rules.isEmpty && active.places.isEmpty && active.lease.waitsAt === undefined) {
    active.places.comeIn();
    return "go";
  }
  return enter(engine, active, rules);
}

async function enter(
  engine: Engine,
  active: ActiveInvocation,
  rules: RuleBook | Promise<RuleBook>,
): Promise<"go" | "waits"> {
  const { waitsAt } = active.lease;
  for (let book = await rules; ;) {
    const pools = book.poolsOf(subjectOf(active.invocation.acceptance));
    await leaveUnruled(engine, active, book, pools);
    if (pools.length > 0) await active.ownAcceptance?.settle();
    const shut = await firstShut(engine, active, pools);
    if (shut === "lost") return "waits";
    active.lease.noteGate(shut && gateText(shut.gate, shut.pool.name));
    if (shut === undefined) {
      // A rule that was made while this driver asked has not counted it.
      const now = engine.registry.rulesKnown();
      if (knowsEveryDriver(engine.settings) && now !== book) {
        book = await engine.registry.rules();
        continue;
      }
      active.places.comeIn();
      active.places.mayHaveMore = false;
      if (waitsAt !== undefined) observeWait(engine, readySinceMs(active));
      return "go";
    }
    // A change of the rules serves the turns that it finds. A turn that was written later has to find the change; a sole owner
    // has it in memory.
    const now = await (knowsEveryDriver(engine.settings) ? engine.registry.rules() : engine.registry.rulesNow());
    if (limitsIn(now, shut.pool.name) === limitsIn(book, shut.pool.name)) {
      if (waitsAt === undefined) countWait(engine, book, shut.pool.name);
      return "waits";
    }
    book = now;
  }
}

/** Since when the stretch of running could have begun: since the acceptance or the scheduled start, or since the last segment. */
function readySinceMs({ invocation: { acceptance, segmentIndex, modifiedAtMs } }: ActiveInvocation): number {
  return segmentIndex > 0 ? modifiedAtMs : (acceptance.startAtMs ?? acceptance.createdAtMs);
}

interface Shut {
  readonly gate: Gate;
  readonly pool: Pool;
}

/**
 * Passes gate after gate.
 * @returns the first one that is shut: the line there has the turn of the invocation; `lost` if another driver has the invocation
 */
async function firstShut(
  engine: Engine,
  active: ActiveInvocation,
  pools: readonly Pool[],
): Promise<Shut | "lost" | undefined> {
  for (const pool of pools) {
    const passed = await passPlaces(engine, active, pool);
    if (passed === "lost") return passed;
    if (!passed) return { gate: "place", pool };
    if (!(await passRate(engine, active, pool))) return { gate: "start", pool };
  }
  return undefined;
}

/** The limits of a pool, as a text that can be compared. */
function limitsIn(book: RuleBook, pool: string): string {
  return JSON.stringify(book.ruleOf(pool)?.limits ?? {});
}

async function passPlaces(engine: Engine, active: ActiveInvocation, pool: Pool): Promise<boolean | "lost"> {
  const { concurrency } = pool.limits;
  const { invocation, lease, places } = active;
  if (concurrency === undefined || places.has(pool.name)) return true;
  const held = await takeOrWait(engine, pool, concurrency, {
    life: invocation.acceptance,
    isMine: isMineOf(engine, active),
    isFirst: !places.mayHaveMore && lease.waitsAt === undefined && invocation.attempts === 0,
    hasWaited: places.mayHaveMore || lease.waitsAt === gateText("place", pool.name),
  });
  if (held === "lost") {
    active.lose();
    return held;
  }
  if (held === "waits") {
    if (isToLook(engine) || places.mayHaveMore) await lookAtOneHolder(engine, pool.name, concurrency);
    return false;
  }
  places.note(pool.name, held);
  return true;
}

/** A sole owner knows its drivers, so only a former process can have left a place, and few looks find it. */
const SOLE_LOOKS_SHARE = 0.125;

function isToLook({ settings, ids }: Engine): boolean {
  return !knowsEveryDriver(settings) || ids.random(1)[0]! < 256 * SOLE_LOOKS_SHARE;
}

function isMineOf(engine: Engine, { pk, invocation, lease }: ActiveInvocation): IsMine {
  return async () => {
    if (lease.isLost || knowsEveryDriver(engine.settings)) return !lease.isLost;
    const item = await engine.table.get(leaseRecordKey(pk, invocation.acceptance.nonce));
    if (item === undefined) return true;
    const { base, token } = readLeaseRecord(item);
    return base < invocation.segmentIndex || lease.tokens.includes(token);
  };
}

/** Counts the first attempt alone. A token that was taken long ago, before a wait at a wider pool, is taken anew. */
async function passRate(engine: Engine, active: ActiveInvocation, pool: Pool): Promise<boolean> {
  const { rate } = pool.limits;
  if (rate === undefined || active.invocation.attempts > 0) return true;
  const known = active.places.tokenOf(pool.name);
  if (known !== undefined && Math.abs(engine.clock.nowMs() - known) <= TOKEN_KEPT_MS) return true;
  const hasWaited = active.lease.waitsAt === gateText("start", pool.name);
  const token = await passStart(engine, pool, rate, active.invocation.acceptance, hasWaited);
  if (token === "waits") return false;
  active.places.noteToken(pool.name, token);
  const earlyMs = token - engine.clock.nowMs();
  if (earlyMs > 0) await engine.clock.sleep(earlyMs);
  return true;
}

function gateText(gate: Gate, pool: string): string {
  return `${gate} ${pool}`;
}

/** Takes the gate of a lease record apart. */
export function gateOf(waitsAtText: string): { readonly gate: Gate; readonly pool: string } {
  const blank = waitsAtText.indexOf(" ");
  return { gate: waitsAtText.slice(0, blank) as Gate, pool: waitsAtText.slice(blank + 1) };
}

/** Gives back places of pools that no rule limits any more, and lets those go on that wait there. */
async function leaveUnruled(
  engine: Engine,
  active: ActiveInvocation,
  book: RuleBook,
  pools: readonly Pool[],
): Promise<void> {
  const ruled = new Set(pools.flatMap(({ name, limits }) => (limits.concurrency === undefined ? [] : [name])));
  for (const [pool, held] of active.places.all) {
    if (ruled.has(pool)) continue;
    active.places.forget(pool);
    await giveBack(engine, pool, placesOf(book, pool), held);
  }
  const { waitsAt: text } = active.lease;
  if (text === undefined) return;
  const { gate, pool } = gateOf(text);
  const limits = book.ruleOf(pool)?.limits;
  if ((gate === "place" ? limits?.concurrency : limits?.rate) !== undefined) return;
  await leaveGate(engine, book, active.invocation.acceptance, text, isMineOf(engine, active));
  if (gate === "place") await serve(engine, pool, Infinity);
  else await releaseStarts(engine, pool);
}

/** The limit of a pool; Infinity if no rule has one. */
export function placesOf(book: RuleBook, pool: string): number {
  return book.ruleOf(pool)?.limits.concurrency ?? Infinity;
}

/**
 * Gives back all places, before the invocation is parked or after it has ended, and takes it out of the line in which it waits. Costs
 * nothing for one without places.
 */
export function leavePools(engine: Engine, active: ActiveInvocation): undefined | Promise<void> {
  const { places, lease } = active;
  places.goOut();
  if (places.isEmpty && lease.waitsAt === undefined && !places.mayHaveMore) return undefined;
  return leave(engine, active);
}

async function leave(engine: Engine, active: ActiveInvocation): Promise<void> {
  const book = await engine.registry.rules();
  const { acceptance } = active.invocation;
  const isMine = isMineOf(engine, active);
  await leaveGate(engine, book, acceptance, active.lease.waitsAt, isMine);
  active.lease.noteGate(undefined);
  for (const [pool, held] of active.places.all) {
    active.places.forget(pool);
    await giveBack(engine, pool, placesOf(book, pool), held);
  }
  if (!active.places.mayHaveMore) return;
  await leaveRuled(engine, book, acceptance, isMine);
  active.places.mayHaveMore = false;
}

/** Gives back each place that names the life, and removes its turns: a driver that died has told none of its pools. */
async function leaveRuled(engine: Engine, book: RuleBook, acceptance: Acceptance, isMine?: IsMine): Promise<void> {
  for (const pool of book.poolsOf(subjectOf(acceptance))) {
    const { concurrency, rate } = pool.limits;
    if (concurrency !== undefined) {
      await leaveTurn(engine, pool, "place", acceptance);
      const state = await giveBackAll(engine, pool.name, concurrency, acceptance, { isMine });
      await wakeIdleHolders(engine, pool.name, state);
    }
    if (rate !== undefined && (await leaveTurn(engine, pool, "start", acceptance)))
      await passPumpOn(engine, pool.name, acceptance);
  }
}

/** Costs no write for one that does not wait. @returns true if it waited */
async function leaveTurn(engine: Engine, pool: Pool, gate: Gate, acceptance: Acceptance): Promise<boolean> {
  const key = turnKeyOf(engine, pool, gate, acceptance);
  return (await engine.table.get(key))?.["n"] === acceptance.nonce && (await leaveLine(engine, key));
}

/**
 * The same for an invocation that no driver of this process has: it has ended, by a kill or with a process that died. Costs a read for
 * each pool with a limit.
 * @param waitsAtText the gate of the lease record
 */
export async function leaveAllPools(engine: Engine, acceptance: Acceptance, waitsAtText?: string): Promise<void> {
  const rules = engine.registry.rules();
  const book = rules instanceof Promise ? await rules : rules;
  if (book.isEmpty && waitsAtText === undefined) return;
  await leaveGate(engine, book, acceptance, waitsAtText);
  await leaveRuled(engine, book, acceptance);
  for (const { name, limits } of book.poolsOf(subjectOf(acceptance)))
    if (limits.rate !== undefined) await serveStarts(engine, name, limits.rate);
}

async function leaveGate(
  engine: Engine,
  book: RuleBook,
  acceptance: Acceptance,
  waitsAtText: string | undefined,
  isMine?: IsMine,
): Promise<void> {
  if (waitsAtText === undefined || (isMine !== undefined && !(await isMine()))) return;
  const { gate, pool } = gateOf(waitsAtText);
  const turnKey = turnKeyFor(acceptance, pool);
  await leaveLine(engine, turnKeyOf(engine, { name: pool, turnKey }, gate, acceptance));
  if (gate === "place") await giveBackAll(engine, pool, placesOf(book, pool), acceptance, { isMine });
  else await passPumpOn(engine, pool, acceptance);
}

/** The key by which the invocation takes turns in a pool, also if no rule counts for the pool any more. */
function turnKeyFor(acceptance: Acceptance, pool: string): string {
  const { scope, limitKey } = subjectOf(acceptance);
  if (scope === undefined) return "";
  const names = [scope, ...(limitKey?.split("/") ?? [])];
  for (let depth = 1; depth <= names.length; depth++)
    if (pool === names.slice(0, depth).join("/")) return names[depth] ?? "";
  return scope;
}

/**
 * Asked when a message has come for an invocation that waits at a gate. Whoever asks serves the line first, because a process that
 * should have done so may have died. One without a turn has been served, also under rules that this process does not know yet.
 * @returns true if it still waits, so that no driver needs to claim it
 */
export async function stillWaitsAtGate(engine: Engine, loaded: Loaded): Promise<boolean> {
  const { leaseRecord, invocation } = loaded;
  if (leaseRecord?.waitsAt === undefined || leaseRecord.untilMs !== 0) return false;
  const { acceptance } = invocation;
  const { gate, pool } = gateOf(leaseRecord.waitsAt);
  if (gate === "place" && !(await hasTurn(engine, acceptance, leaseRecord.waitsAt))) return false;
  const limits = (await engine.registry.rules()).ruleOf(pool)?.limits;
  if (gate === "start") {
    if (limits?.rate === undefined) return false;
    await serveStarts(engine, pool, limits.rate, acceptance);
    // The process that gave the token may have died before it removed the turn.
    if (await hasToken(engine, pool, acceptance)) return false;
  } else {
    if (limits?.concurrency === undefined) return false;
    await serve(engine, pool, limits.concurrency);
    // The process that handed the place over may have died before it removed the turn.
    if (await hasPlace(engine, pool, limits.concurrency, acceptance)) return false;
  }
  return await hasTurn(engine, acceptance, leaseRecord.waitsAt);
}

async function hasTurn(engine: Engine, acceptance: Acceptance, waitsAtText: string): Promise<boolean> {
  const { gate, pool } = gateOf(waitsAtText);
  const turn = turnKeyOf(engine, { name: pool, turnKey: turnKeyFor(acceptance, pool) }, gate, acceptance);
  return (await engine.table.get(turn))?.["n"] === acceptance.nonce;
}

/** Asked after the park of an invocation that waits at a gate: it may have been served before the park. */
export async function hasPassedGate(engine: Engine, active: ActiveInvocation): Promise<boolean> {
  const { waitsAt } = active.lease;
  return waitsAt !== undefined && !(await hasTurn(engine, active.invocation.acceptance, waitsAt));
}

/**
 * The sweeper's look at an invocation that waits: writes its turn anew, so that it does not expire, serves the line, and looks at one
 * holder.
 * @returns true if it can go on
 */
export async function comesToItsGate(engine: Engine, loaded: Loaded): Promise<boolean> {
  const { leaseRecord, invocation } = loaded;
  if (leaseRecord?.waitsAt === undefined) return true;
  const { acceptance } = invocation;
  const { gate, pool } = gateOf(leaseRecord.waitsAt);
  if (await stillWaitsAtGate(engine, loaded)) {
    await joinLine(engine, { name: pool, turnKey: turnKeyFor(acceptance, pool) }, gate, acceptance);
    const limits = (await engine.registry.rules()).ruleOf(pool)?.limits;
    if (gate === "place" && limits?.concurrency !== undefined) await lookAtOneHolder(engine, pool, limits.concurrency);
    if (gate === "start" && limits?.rate !== undefined) await callForService(engine, pool, limits.rate, acceptance);
    return !(await stillWaitsAtGate(engine, loaded));
  }
  return true;
}

/** Asked with the renewal of a lease, so it reads no rules: those in memory are enough, because a process that is at work renews them. */
export function enterIfRuled(engine: Engine, active: ActiveInvocation): undefined | Promise<void> {
  if (engine.registry.rulesKnown().isEmpty || active.places.stretch === undefined) return undefined;
  return enterInAnyCase(engine, active);
}

/** Takes places for an invocation that runs already when a rule is made: from now on the rule counts it. */
export async function enterInAnyCase(engine: Engine, active: ActiveInvocation): Promise<void> {
  const { stretch } = active.places;
  const life = active.invocation.acceptance;
  for (const pool of (await engine.registry.rules()).poolsOf(subjectOf(life))) {
    const { concurrency } = pool.limits;
    if (concurrency === undefined || active.places.has(pool.name)) continue;
    const held = await takeInAnyCase(engine, pool, concurrency, { life, isMine: isMineOf(engine, active) });
    if (held === undefined) return;
    // The attempt may have ended meanwhile, and the driver may have asked for a place itself.
    const runsOn = stretch !== undefined && active.places.stretch === stretch && !active.lease.isLost;
    if (runsOn && !active.places.has(pool.name)) active.places.note(pool.name, held);
    else await giveBack(engine, pool.name, concurrency, held);
  }
}
