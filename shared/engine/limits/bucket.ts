/** The bucket of a pool: its tokens, each of which lets one invocation begin. */
import { nextTokenAtMs, takeTokens } from "../../core/limits/token-bucket.ts";
import type { Rate } from "../../core/limits/rule.ts";
import type { Engine } from "../engine.ts";
import { bucketKey, poolExpiryS, poolListing } from "../store/pool-items.ts";
import type { Condition, Item } from "../ports/table.ts";

export interface Bucket {
  readonly fullAtUs: number;
  /** True if invocations wait for tokens: those who come later wait behind them. */
  readonly isWaitedFor: boolean;
  /** When the next of those who wait are served; 0 if none was set. */
  readonly pumpAtMs: number;
  /** The id of the invocation whose message serves the line at that moment; empty if there is none. */
  readonly carrier: string;
  /** The key that was served last. */
  readonly servedKey: string;
}

const UNUSED: Bucket = { fullAtUs: 0, isWaitedFor: false, pumpAtMs: 0, carrier: "", servedKey: "" };

/** Many processes may change one bucket at a time; each refusal shows the newer one. */
const TRIES = 16;

export async function readBucket(
  { table, settings }: Pick<Engine, "table" | "settings">,
  pool: string,
): Promise<Bucket> {
  return bucketOf(await table.get(bucketKey(settings.keyPrefix, pool)));
}

function bucketOf(item: Item | undefined): Bucket {
  if (item === undefined) return UNUSED;
  const { fullAtUs, line, pumpAtMs, carrier, served } = item;
  return {
    fullAtUs: typeof fullAtUs === "number" ? fullAtUs : 0,
    isWaitedFor: line === 1,
    pumpAtMs: typeof pumpAtMs === "number" ? pumpAtMs : 0,
    carrier: typeof carrier === "string" ? carrier : "",
    servedKey: typeof served === "string" ? served : "",
  };
}

/**
 * @param before the bucket as read: the write is refused if another process has changed it
 * @returns the bucket as stored, and whether this write stored it
 */
export async function changeBucket(
  { table, settings, clock }: Pick<Engine, "table" | "settings" | "clock">,
  pool: string,
  before: Bucket,
  after: Partial<Bucket>,
): Promise<{ readonly written: boolean; readonly bucket: Bucket }> {
  const { fullAtUs, isWaitedFor, pumpAtMs, carrier, servedKey } = { ...before, ...after };
  const set = {
    fullAtUs,
    line: isWaitedFor ? 1 : 0,
    pumpAtMs,
    carrier,
    served: servedKey,
    expiresAtS: poolExpiryS(Math.max(clock.nowMs(), fullAtUs / 1_000)),
    ...(before === UNUSED && poolListing(settings.keyPrefix, pool)),
  };
  const same: Condition = {
    kind: "all",
    of: [
      { kind: "equal", attribute: "fullAtUs", value: before.fullAtUs },
      { kind: "equal", attribute: "line", value: before.isWaitedFor ? 1 : 0 },
      { kind: "equal", attribute: "pumpAtMs", value: before.pumpAtMs },
      { kind: "equal", attribute: "served", value: before.servedKey },
    ],
  };
  const condition: Condition = before === UNUSED ? { kind: "absent" } : same;
  const outcome = await table.update(bucketKey(settings.keyPrefix, pool), { set }, condition);
  return { written: outcome.written, bucket: bucketOf(outcome.written ? outcome.item : outcome.existing) };
}

/** @returns how many of the wanted tokens there are, and none if others wait already */
export async function takeTokensNow(
  engine: Pick<Engine, "table" | "settings" | "clock">,
  pool: string,
  rate: Rate,
  wanted: number,
): Promise<number> {
  let bucket = await readBucket(engine, pool);
  for (let tried = 0; tried < TRIES; tried++) {
    if (bucket.isWaitedFor) return 0;
    const tokens = takeTokens(rate, bucket.fullAtUs, engine.clock.nowMs(), wanted);
    if (tokens.count === 0) return 0;
    const changed = await changeBucket(engine, pool, bucket, { fullAtUs: tokens.fullAtUs });
    if (changed.written) return tokens.count;
    bucket = changed.bucket;
  }
  return 0;
}

export function nextAtMs(rate: Rate, { fullAtUs }: Bucket, nowMs: number): number {
  return Math.max(nowMs, nextTokenAtMs(rate, fullAtUs, nowMs));
}
