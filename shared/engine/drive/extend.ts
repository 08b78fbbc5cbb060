/** Giving the items of one life more time to live, which is all of a segment that may ever change (I1). */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Engine } from "../engine.ts";
import type { Held } from "./held.ts";
import { ARRIVALS_AND_PIECES, belongsTo, holdKey, invocationPk } from "../ledger/item-keys.ts";
import { keepUntilS, openUntilS, RETENTION_ASSUMED_MS } from "../ledger/keep.ts";
import type { Loaded } from "../ledger/load.ts";
import type { Range } from "../ports/table.ts";
import { readPartition } from "../ledger/read-partition.ts";

/** @returns false where it is not open */
export async function extendOpen(engine: Engine, { pk, invocation }: Loaded): Promise<boolean> {
  if (invocation.standing.status === "completed") return false;
  const { id, nonce } = invocation.acceptance;
  const nowMs = engine.clock.nowMs();
  await extendItems(engine, pk, invocation, {}, keepUntilS(invocation.acceptance, nowMs));
  // The hold comes last: an extension that died on the way is begun anew.
  const openUntil = openUntilS(nowMs);
  const key = holdKey(pk, nonce);
  const older = { kind: "less", attribute: "keepUntilS", than: openUntil } as const;
  await engine.table.update(key, { set: { keepUntilS: openUntil } }, older);
  // A driver of this process would put back what it knows.
  const driver = engine.drives.find(id);
  if (driver?.hold !== undefined) driver.hold = { ...driver.hold, keepUntilS: openUntil };
  return true;
}

/**
 * At the end of an invocation: what was brought by those who did not know its retention must outlive it too. Costs a
 * read, and only where the retention is longer than was assumed.
 */
export async function keepArrivals(engine: Engine, { id, invocation }: Pick<Held, "id" | "invocation">): Promise<void> {
  const { acceptance, taken } = invocation;
  if (acceptance.completionRetentionMs <= RETENTION_ASSUMED_MS || taken.size === 0) return;
  const pk = invocationPk(engine.settings.keyPrefix, id);
  await extendItems(engine, pk, invocation, ARRIVALS_AND_PIECES, keepUntilS(acceptance, engine.clock.nowMs()));
}

async function extendItems(
  engine: Engine,
  pk: string,
  { acceptance }: Invocation,
  range: Range,
  untilS: number,
): Promise<void> {
  for (const { sk, expiresAtS } of await readPartition(engine.table, pk, range)) {
    if (!belongsTo(sk, acceptance.nonce) || typeof expiresAtS !== "number" || expiresAtS >= untilS) continue;
    const shorter = { kind: "less", attribute: "expiresAtS", than: untilS } as const;
    await engine.table.update({ pk, sk }, { set: { expiresAtS: untilS } }, shorter);
  }
}
