/**
 * Lets invocations begin at the rate of a pool (ADR 51). An invocation that finds the bucket empty waits in line. One message goes to
 * one of the line for the moment of the next token; its consumer serves as many as there are tokens, and sends the next message.
 */
import { inTurn } from "../../core/limits/turn.ts";
import { takeTokens } from "../../core/limits/token-bucket.ts";
import type { Rate } from "../../core/limits/rule.ts";
import type { Engine } from "../engine.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import { isFar, sendWake, wakeAt } from "../messaging/wake.ts";
import { poolExpiryS, tokenKey, type Turn } from "../store/pool-items.ts";
import { knowsEveryDriver } from "../ports/store-ownership.ts";
import { type Bucket, changeBucket, nextAtMs, readBucket, takeTokensNow } from "./bucket.ts";
import {
  joinLine,
  type LineOf,
  leaveLine,
  type Life,
  nextTurn,
  release,
  turnsAt,
  turnsFrom,
  wakeTurn,
} from "./line.ts";

/** An invocation that begins later than this after its token asks for another one, so that late ones do not begin all at once. */
export const TOKEN_KEPT_MS = 5_000;
/** A message that serves the line is overdue after this time, and one who comes to the line sends another. */
const OVERDUE_MS = 2_000;
/** The most turns that one message reads and serves. */
const SERVED_MAX = 1_000;
/** Queues on AWS delay by whole seconds, so a message there gives tokens for the second that follows, each with its moment. */
const AHEAD_SHARED_MS = 1_000;
/** The least time between two messages of one line. */
const APART_SOLE_MS = 20;
const TRIES = 16;

/**
 * @param hasWaited true if the invocation has a turn, or may have got a token
 * @returns the moment of the token, which may be up to a second ahead; or `waits` after the turn is written
 */
export async function passStart(
  engine: Engine,
  line: LineOf,
  rate: Rate,
  life: Life,
  hasWaited: boolean,
): Promise<number | "waits"> {
  const nowMs = engine.clock.nowMs();
  const granted = hasWaited ? await takeGranted(engine, line.name, life) : undefined;
  if (granted !== undefined && Math.abs(nowMs - granted) <= TOKEN_KEPT_MS) return granted;
  // A rate of thousands a second would wear out its item if each start were a write.
  const take = async (asks: readonly unknown[]): Promise<readonly boolean[]> => {
    const count = await takeTokensNow(engine, line.name, rate, asks.length);
    return asks.map((_, at) => at < count);
  };
  if (await engine.activeInvocations.starts.ask(line.name, undefined, take)) return nowMs;
  await joinLine(engine, line, "start", life);
  await callForService(engine, line.name, rate, life);
  return "waits";
}

/** True if the invocation has got a token that it has not taken yet. */
export async function hasToken(
  { table, settings }: Pick<Engine, "table" | "settings">,
  pool: string,
  { id, nonce }: Pick<Life, "id" | "nonce">,
): Promise<boolean> {
  return (await table.get(tokenKey(settings.keyPrefix, pool, id)))?.["n"] === nonce;
}

async function takeGranted(
  { table, settings }: Engine,
  pool: string,
  { id, nonce }: Life,
): Promise<number | undefined> {
  const key = tokenKey(settings.keyPrefix, pool, id);
  const item = await table.get(key);
  if (item?.["n"] !== nonce) return undefined;
  await table.delete(key);
  return Number(item["atMs"]);
}

/** Sends the message that serves the line, unless one is on its way. */
export async function callForService(engine: Engine, pool: string, rate: Rate, life: Life): Promise<void> {
  let bucket = await readBucket(engine, pool);
  for (let tried = 0; tried < TRIES; tried++) {
    const nowMs = engine.clock.nowMs();
    const atMs = nextAtMs(rate, bucket, nowMs);
    const isOverdue = bucket.pumpAtMs <= nowMs - OVERDUE_MS;
    // One that carries the message of the line, and asks again, may have died before it sent the message.
    if (bucket.isWaitedFor && !isOverdue && !isTooLate(bucket, atMs))
      return bucket.carrier === life.id ? await wakeFor(engine, life, bucket.pumpAtMs) : undefined;
    const changed = await changeBucket(engine, pool, bucket, { isWaitedFor: true, pumpAtMs: atMs, carrier: life.id });
    if (changed.written) return await wakeFor(engine, life, atMs);
    bucket = changed.bucket;
  }
}

/** True if the line would be served long after the next token: the rate was slower, or the clock was ahead. */
function isTooLate({ pumpAtMs }: Bucket, nextTokenMs: number): boolean {
  return pumpAtMs > nextTokenMs + OVERDUE_MS;
}

async function wakeFor(engine: Engine, to: Pick<Life, "id" | "nonce" | "target">, atMs: number): Promise<void> {
  if (isFar(engine, atMs)) await wakeAt(engine, to, atMs);
  else await sendWake(engine, to, Math.max(0, atMs - engine.clock.nowMs()));
}

/**
 * Gives the tokens that there are to those who wait, if their time has come.
 * @param to an invocation for which a message has come: if it carries the message of the line, and comes early, its timer is set again
 */
export async function serveStarts(engine: Engine, pool: string, rate: Rate, to?: Life): Promise<void> {
  const bucket = await readBucket(engine, pool);
  if (!bucket.isWaitedFor) return;
  const nowMs = engine.clock.nowMs();
  if (bucket.pumpAtMs > nowMs && !isTooLate(bucket, nextAtMs(rate, bucket, nowMs))) {
    if (to !== undefined) await wakeCarrier(engine, pool, bucket, to);
    return;
  }
  const turns = await turnsFrom(engine, pool, "start", bucket.servedKey, SERVED_MAX);
  if (turns.length === 0) return await endLine(engine, pool, bucket);
  const ahead = knowsEveryDriver(engine.settings) ? 0 : AHEAD_SHARED_MS;
  const tokens = takeTokens(rate, bucket.fullAtUs, nowMs, turns.length, ahead);
  const after: Bucket = { ...bucket, fullAtUs: tokens.fullAtUs };
  const apartMs = knowsEveryDriver(engine.settings) ? APART_SOLE_MS : AHEAD_SHARED_MS;
  const pumpAtMs = Math.max(nextAtMs(rate, after, nowMs), nowMs + apartMs);
  const moments = momentsOf(rate, bucket, tokens.count, nowMs);
  const ordered = inTurn(turns, bucket.servedKey, moments.length + 1);
  const served = ordered.slice(0, moments.length);
  const servedKey = served.at(-1)?.turnKey ?? bucket.servedKey;
  const next = ordered[moments.length];
  // Of two who serve at a time, one is refused, and leaves the line to the other.
  const wanted: Bucket = { ...after, pumpAtMs, servedKey, carrier: next?.id ?? "" };
  const changed = await changeBucket(engine, pool, bucket, wanted);
  // A client of the table that has repeated the write finds its own.
  if (!changed.written && !isSame(changed.bucket, wanted)) return;
  // The message comes first: who dies before it has served none, and its own message comes again.
  if (next !== undefined) await wakeFor(engine, recipientOf(next), pumpAtMs);
  await atMost(AT_ONCE, served, (turn, at) => grant(engine, pool, turn, moments[at]!));
  if (next === undefined) await endLine(engine, pool, changed.bucket);
}

function isSame(one: Bucket, other: Bucket): boolean {
  const isSameLine = one.isWaitedFor === other.isWaitedFor && one.pumpAtMs === other.pumpAtMs;
  return (
    isSameLine && one.fullAtUs === other.fullAtUs && one.carrier === other.carrier && one.servedKey === other.servedKey
  );
}

/**
 * Sends the message of the line once more, because a message has come early. It was that of the line, or it was delivered again: then the
 * process that served the line may have died before it sent the next one.
 */
async function wakeCarrier(engine: Engine, pool: string, bucket: Bucket, to: Life): Promise<void> {
  if (to.id === bucket.carrier) return await wakeFor(engine, to, bucket.pumpAtMs);
  const next = await nextTurn(engine, pool, "start", bucket.servedKey);
  if (next !== undefined) await wakeFor(engine, recipientOf(next), bucket.pumpAtMs);
}

function recipientOf({ id, nonce, service }: Turn): Pick<Life, "id" | "nonce" | "target"> {
  return { id, nonce, target: { service, handler: "" } };
}

/** One that carries the message of the line leaves it, so the next carries it. */
export async function passPumpOn(engine: Engine, pool: string, { id }: Pick<Life, "id">): Promise<void> {
  const bucket = await readBucket(engine, pool);
  if (!bucket.isWaitedFor || bucket.carrier !== id) return;
  const next = await nextTurn(engine, pool, "start", bucket.servedKey);
  if (next === undefined) return;
  if ((await changeBucket(engine, pool, bucket, { carrier: next.id })).written)
    await wakeFor(engine, recipientOf(next), bucket.pumpAtMs);
}

/** The moments at which the bucket has each of these tokens. */
function momentsOf(rate: Rate, bucket: Bucket, count: number, nowMs: number): readonly number[] {
  const moments: number[] = [];
  let { fullAtUs } = bucket;
  for (let at = 0; at < count; at++) {
    const atMs = nextAtMs(rate, { ...bucket, fullAtUs }, nowMs);
    moments.push(atMs);
    ({ fullAtUs } = takeTokens(rate, fullAtUs, atMs, 1));
  }
  return moments;
}

/** Wakes some of those who wait for a start that no rule limits any more; each that goes on wakes more. */
export async function releaseStarts(engine: Engine, pool: string): Promise<void> {
  for (const turn of await turnsAt(engine, pool, "start", SERVED_MAX)) await release(engine, turn);
}

/**
 * The token is written and the message sent before the turn is removed: who dies between has given a token twice, and lost none, and one
 * that has its token goes on although its turn stands.
 */
async function grant(engine: Engine, pool: string, turn: Turn, atMs: number): Promise<void> {
  const { id, nonce } = turn;
  const expiresAtS = poolExpiryS(atMs);
  await engine.table.put({ ...tokenKey(engine.settings.keyPrefix, pool, id), n: nonce, atMs, expiresAtS });
  await wakeTurn(engine, turn);
  await leaveLine(engine, turn.key);
}

/** One who has come to the line just before has seen that it is waited for, so the turns are read once more afterwards. */
async function endLine(engine: Engine, pool: string, bucket: Bucket): Promise<void> {
  const { written, bucket: ended } = await changeBucket(engine, pool, bucket, { isWaitedFor: false, pumpAtMs: 0 });
  // A client of the table that has repeated the write finds its own.
  if (!written && ended.isWaitedFor) return;
  const late = await nextTurn(engine, pool, "start", bucket.servedKey);
  if (late === undefined) return;
  const pumpAtMs = engine.clock.nowMs();
  const again = await changeBucket(engine, pool, ended, { isWaitedFor: true, pumpAtMs, carrier: late.id });
  if (again.written || again.bucket.carrier === late.id) await wakeTurn(engine, late);
}
