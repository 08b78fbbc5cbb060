/** Extends the time to live of the items of one life; an extension changes no other attribute of a segment (I1). */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { DAY_S } from "../../core/model/time-units.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { ACCEPTANCE_SK, ARRIVALS_AND_PIECES, belongsTo, leaseRecordKey, invocationPk } from "../store/item-keys.ts";
import { currentKey } from "../store/singleton-item.ts";
import { extendedUntilS, keepUntilS, RETENTION_ASSUMED_MS } from "../store/ttl.ts";
import type { Item, Page, Range } from "../ports/table.ts";
import type { Loaded } from "../store/load.ts";
import { extendRecord } from "./write-record.ts";

/**
 * In seconds. An item that expires at most this long before the new expiry is skipped: an earlier extension, which a crash
 * interrupted, has already extended it.
 */
const NEARLY_S = DAY_S;

/**
 * Extends every item of an open invocation, page by page, so that only one page is in memory. Costs one query per page and
 * one write per item.
 * @returns false if the life is gone or has no lease record
 */
export async function extendOpen(engine: Engine, id: InvocationId, nonce: Nonce): Promise<boolean> {
  const pk = invocationPk(engine.settings.keyPrefix, id);
  const key = leaseRecordKey(pk, nonce);
  const page = await engine.table.query(pk);
  const existing = (sk: string) => itemAt(engine, page, { pk, sk });
  const [acceptance, record] = await Promise.all([existing(ACCEPTANCE_SK), existing(key.sk)]);
  if (record === undefined || acceptance?.["n"] !== nonce) return false;
  const untilS = extendedUntilS(engine.settings, engine.clock.nowMs());
  // The acceptance expires one retention after the `keepUntilS` of the lease record.
  const retentionS = Math.max(0, Number(acceptance["expiresAtS"]) - Number(record["keepUntilS"]));
  await extendPages(engine, page, { pk, nonce, untilS: untilS + retentionS });
  // The acceptance is written after all other items, so that no end expires earlier, even if a crash ends the extension.
  await extendItems(engine, [acceptance], { pk, nonce, untilS: untilS + retentionS });
  await extendSingleton(engine, id, acceptance, untilS + retentionS);
  // The lease record is written last. If a crash ends the extension before this write, the next pass reads the old `keepUntilS`
  // and repeats the extension.
  await extendRecord(engine, pk, nonce, untilS);
  engine.activeInvocations.find(id)?.lease.noteExtension(untilS);
  return true;
}

/** Without the item that names it, another request with its singleton key would begin beside it. */
async function extendSingleton(engine: Engine, id: InvocationId, { single }: Item, untilS: number): Promise<void> {
  if (typeof single !== "string") return;
  const isOwn = { kind: "equal", attribute: "id", value: id } as const;
  const isShorter = { kind: "less", attribute: "expiresAtS", than: untilS } as const;
  const key = currentKey(engine.settings.keyPrefix, single);
  await engine.table.update(key, { set: { expiresAtS: untilS } }, { kind: "all", of: [isOwn, isShorter] });
}

/**
 * Extends an invocation that a driver has just claimed, if its items would expire before the result that it may give now has been
 * kept for its retention: the invocation may end before the sweeper sees it, and no sweeper extends an ended one. Costs nothing for an
 * invocation that was accepted or extended within the last days.
 */
export async function extendClaimed(
  engine: Engine,
  { pk, invocation: { acceptance }, expiresAtS, leaseRecord }: Loaded,
): Promise<void> {
  const nowMs = engine.clock.nowMs();
  if (expiresAtS >= Math.ceil((nowMs + acceptance.completionRetentionMs) / 1000)) return;
  const { nonce } = acceptance;
  const untilS = keepUntilS(engine.settings, acceptance, nowMs, leaseRecord?.keepUntilS);
  const page = await engine.table.query(pk);
  const first = await itemAt(engine, page, { pk, sk: ACCEPTANCE_SK });
  await extendPages(engine, page, { pk, nonce, untilS });
  if (first?.["n"] === nonce) await extendItems(engine, [first], { pk, nonce, untilS });
}

async function itemAt(engine: Engine, page: Page, key: { pk: string; sk: string }): Promise<Item | undefined> {
  const found = page.items.find(({ sk }) => sk === key.sk);
  return found ?? (page.next === undefined ? undefined : await engine.table.get(key));
}

interface Extension {
  readonly pk: string;
  readonly nonce: Nonce;
  readonly untilS: number;
  /** The items of the pages; by default all of the invocation. */
  readonly range?: Range;
  readonly nearlyS?: number;
}

async function extendPages(engine: Engine, first: Page, extension: Extension): Promise<void> {
  let page = first;
  for (;;) {
    await extendItems(
      engine,
      page.items.filter(({ sk }) => sk !== ACCEPTANCE_SK),
      extension,
    );
    if (page.next === undefined) return;
    page = await engine.table.query(extension.pk, { ...extension.range, after: page.next });
  }
}

/**
 * Extends the time to live of the arrivals when the invocation ends, because their writers had assumed the retention
 * `RETENTION_ASSUMED_MS`. If the retention of the invocation is not longer, the function reads and writes nothing.
 */
export async function keepArrivals(
  engine: Engine,
  { acceptance, consumed }: Pick<Invocation, "acceptance" | "consumed">,
): Promise<void> {
  if (acceptance.completionRetentionMs <= RETENTION_ASSUMED_MS || consumed.size === 0) return;
  const pk = invocationPk(engine.settings.keyPrefix, acceptance.id);
  const untilS = keepUntilS(engine.settings, acceptance, engine.clock.nowMs());
  const range: Range = ARRIVALS_AND_PIECES;
  const first = await engine.table.query(pk, range);
  await extendPages(engine, first, { pk, nonce: acceptance.nonce, untilS, range, nearlyS: 0 });
}

async function extendItems(
  engine: Engine,
  items: readonly Item[],
  { pk, nonce, untilS, nearlyS = NEARLY_S }: Extension,
): Promise<void> {
  const shorter = { kind: "less", attribute: "expiresAtS", than: untilS } as const;
  await atMost(AT_ONCE, items, async ({ sk, expiresAtS }) => {
    if (!belongsTo(sk, nonce) || typeof expiresAtS !== "number" || expiresAtS >= untilS - nearlyS) return;
    await engine.table.update({ pk, sk }, { set: { expiresAtS: untilS } }, shorter);
  });
}
