/** Drops the journal of a completed invocation, or all its items. The final segment stays as a fence, without entries. */
import { endOutcome } from "../../core/invocation/end-outcome.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { NO_RETRIES, type Segment } from "../../core/invocation/segment.ts";
import type { Failure } from "../../core/model/failure.ts";
import { acceptanceItem } from "../store/acceptance-record.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { ARRIVALS, belongsTo, HOLDS, PIECES, segmentKey } from "../store/item-keys.ts";
import { keepUntilS } from "../store/ttl.ts";
import { dropPieces, chunkForPut } from "../store/large-record.ts";
import type { Loaded } from "../store/load.ts";
import { actAttributes } from "../store/operator-act.ts";
import type { Item, Range, ItemValue } from "../ports/table.ts";
import { sameBytes } from "../store/record-envelope.ts";
import { eachPage } from "../store/read-partition.ts";
import { segmentItem } from "../store/segment-record.ts";

/** All items but pieces, which are dropped with the items that name them. */
const AROUND_PIECES: readonly Range[] = [ARRIVALS, { from: HOLDS, below: "try$" }];

export const GONE: Failure = { code: 410, message: "gone" };

/**
 * Drops the journal with its input and its failure events. Status and result stay.
 * The caller must have performed the effects of the last segment, because a redo needs the dropped entries (I2).
 * @returns false if another process has changed the final segment since the load; the caller then loads again
 */
export async function dropJournal(engine: Engine, loaded: Loaded): Promise<boolean> {
  const { invocation, pk, last, lastAct } = loaded;
  const { phase } = invocation;
  if (phase.status !== "completed" || last === undefined) return false;
  const { result, killed, tombstone } = phase;
  const end = endAlone(last.segment, { kind: "completed", result, killed, tombstone });
  // These facts come from items that will be deleted: the last act of an operator, and the cancel.
  const isCancelled = endOutcome(invocation, loaded.isCancelled) === "cancelled";
  if (!(await replaceEnd(engine, pk, invocation, end, { ...actAttributes(lastAct) }, isCancelled))) return false;
  const kept = (sk: string): boolean => sk.startsWith("hold#") || sk.startsWith("sink#");
  await deleteItems(engine, pk, invocation, kept);
  await stripAcceptance(engine, invocation);
  return true;
}

/**
 * Frees the id and drops all items but the final segment, which becomes a tombstone: the invocation counts as expired at once,
 * but the item stays, because a process that read the acceptance before its removal must not start an attempt. The acceptance
 * of a child stays too, without its input, because a redo of its caller must find it (I2).
 * @returns false if another process has changed the final segment since the load; the caller then loads again
 */
export async function dropAll(engine: Engine, { invocation, pk, last }: Loaded): Promise<boolean> {
  if (last === undefined) return false;
  const result = { kind: "failure", failure: GONE } as const;
  const end = endAlone(last.segment, { kind: "completed", result, killed: false, tombstone: true });
  if (!(await replaceEnd(engine, pk, invocation, end))) return false;
  const { source, nonce } = invocation.acceptance;
  if (source.kind === "call" || source.kind === "send") await stripAcceptance(engine, withoutCaller(invocation), false);
  else await removeAcceptance(engine, pk, invocation);
  await deleteItems(engine, pk, invocation, () => false);
  engine.log.write("invocation.purged", { invocationId: invocation.acceptance.id, nonce });
  return true;
}

/** The final segment without its entries. */
export function endAlone({ index, writtenAtMs, pin, attempt }: Segment, after: Segment["after"]): Segment {
  return {
    index,
    writtenAtMs,
    consumed: [],
    entries: [],
    after,
    retries: NO_RETRIES,
    endAlone: true,
    ...(pin && { pin }),
    ...(attempt && { attempt }),
  };
}

/** Replaces the final segment in one put. It fences late drivers, so it must not be absent at any moment (I1). */
async function replaceEnd(
  engine: Engine,
  pk: string,
  invocation: Invocation,
  end: Segment,
  attributes: Readonly<Record<string, ItemValue>> = {},
  isCancelled = false,
): Promise<boolean> {
  const { acceptance, pin, attempts } = invocation;
  const key = segmentKey(pk, acceptance.nonce, end.index);
  const existing = await engine.table.get(key);
  const b = existing?.["b"];
  if (existing === undefined || b === undefined) return false;
  const place = {
    pk,
    nonce: acceptance.nonce,
    lease: { token: engine.activeInvocations.newToken(), untilMs: 0 },
    consumedUnits: 0,
    isCancelled,
    expiresAtS: expiresAtSOf(existing) ?? keepUntilS(engine.settings, acceptance, engine.clock.nowMs()),
  };
  const span = end.attempt ?? { startedAtMs: end.writtenAtMs, endedAtMs: end.writtenAtMs };
  // The pin and the number of attempts come from segments that will be deleted.
  const whole: Segment = {
    ...end,
    ...(pin && { pin }),
    ...(attempts > 0 && { attempt: { ...span, number: attempts } }),
  };
  const bare = { ...segmentItem(place, whole), ...attributes };
  const item = await chunkForPut(engine, bare, acceptance.nonce);
  const put = await engine.table.put(item, { kind: "equal", attribute: "b", value: b });
  // If an earlier try took effect and its answer was lost, this put is refused. Then the stored bytes, which contain the
  // token, are equal.
  const isOurs = put.written || sameBytes(put.existing?.["b"], item["b"]);
  if (isOurs) await dropPieces(engine, existing);
  return isOurs;
}

function expiresAtSOf({ expiresAtS }: Item): number | undefined {
  return typeof expiresAtS === "number" ? expiresAtS : undefined;
}

/** Deletes all items of this life except its final segment, its acceptance, and the items that `keeps` returns true for. */
async function deleteItems(
  engine: Engine,
  pk: string,
  { acceptance, segmentIndex }: Invocation,
  keeps: (sk: string) => boolean,
): Promise<void> {
  const { nonce } = acceptance;
  const stays = new Set([segmentKey(pk, nonce, 0).sk, segmentKey(pk, nonce, segmentIndex).sk]);
  const goes = ({ sk }: Item): boolean =>
    belongsTo(sk, nonce) && !stays.has(sk) && !sk.startsWith(PIECES.from) && !keeps(sk);
  for (const range of AROUND_PIECES)
    await eachPage(engine.table, pk, range, async (items) => {
      await atMost(AT_ONCE, items.filter(goes), async (item) => {
        await dropPieces(engine, item);
        await engine.table.delete({ pk, sk: item.sk });
      });
    });
}

/**
 * Removes input and headers from the acceptance, because the input is the first entry of the journal. The attribute `end`
 * marks the invocation as ended for processes that read only its acceptance.
 * @param isListed false removes the acceptance from the listing
 */
async function stripAcceptance(engine: Engine, { acceptance }: Invocation, isListed = true): Promise<void> {
  const lease = { token: engine.activeInvocations.newToken(), untilMs: 0 };
  const stripped = { ...acceptance, input: new Uint8Array(0), headers: [] };
  const { listPk, listSk, ...item } = acceptanceItem(engine.settings, stripped, lease, 0);
  const key = { pk: item.pk, sk: item.sk };
  const existing = await engine.table.get(key);
  if (existing?.["n"] !== acceptance.nonce) return;
  const untilS = expiresAtSOf(existing) ?? keepUntilS(engine.settings, acceptance, engine.clock.nowMs());
  await engine.table.put(
    { ...item, end: true, expiresAtS: untilS, ...(isListed && listPk !== undefined && { listPk, listSk }) },
    { kind: "equal", attribute: "n", value: acceptance.nonce },
  );
  await dropPieces(engine, existing);
}

/** Removes `createdBy`, so that after a purge no item names the external caller. The calling invocation stays in `source`. */
function withoutCaller(invocation: Invocation): Invocation {
  const { createdBy: _, ...acceptance } = invocation.acceptance;
  return { ...invocation, acceptance };
}

async function removeAcceptance(engine: Engine, pk: string, { acceptance }: Invocation): Promise<void> {
  const key = segmentKey(pk, acceptance.nonce, 0);
  const existing = await engine.table.get(key);
  if (existing?.["n"] !== acceptance.nonce) return;
  await engine.table.delete(key, { kind: "equal", attribute: "n", value: acceptance.nonce });
  // This is done even if the delete was refused: an earlier try may have removed the acceptance, but not yet its
  // pieces.
  await dropPieces(engine, existing);
}
