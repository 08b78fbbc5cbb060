/** Forgetting what has ended: its journal alone, or all of it. The final segment stays as the fence, and tells of the end alone. */
import type { Invocation } from "../../core/invocation/invocation.ts";
import { NO_RETRIES, type Segment } from "../../core/invocation/segment.ts";
import type { Failure } from "../../core/model/failure.ts";
import { acceptanceItem } from "../store/acceptance-record.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { belongsTo, PIECES, segmentKey } from "../store/item-keys.ts";
import { keepUntilS } from "../store/ttl.ts";
import { dropPieces, chunkForPut } from "../store/large-record.ts";
import type { Loaded } from "../store/load.ts";
import { actAttributes } from "../store/operator-act.ts";
import type { OperatorAct } from "../ports/submission.ts";
import type { Item, Range } from "../ports/table.ts";
import { sameBytes } from "../store/record-envelope.ts";
import { readPartition } from "../store/read-partition.ts";
import { segmentItem } from "../store/segment-record.ts";

const EVERYTHING: Range = { from: "arr#", below: "try$" };

const GONE: Failure = { code: 410, message: "gone" };

/**
 * Drops the journal with its input and its events; status and result stay.
 * The caller has performed what the last segment asks for (I2), for nobody can afterwards.
 * @returns false where somebody else has changed the end meanwhile: load again
 */
export async function dropJournal(engine: Engine, { invocation, pk, last, lastAct }: Loaded): Promise<boolean> {
  const { phase } = invocation;
  if (phase.status !== "completed" || last === undefined) return false;
  const { result, killed, tombstone } = phase;
  const end = endAlone(last.segment, { kind: "completed", result, killed, tombstone });
  if (!(await replaceEnd(engine, pk, invocation, end, lastAct))) return false;
  const kept = (sk: string): boolean => sk.startsWith("hold#") || sk.startsWith("sink#");
  await deleteItems(engine, pk, invocation, kept);
  await stripAcceptance(engine, invocation);
  return true;
}

/**
 * Frees the id. The end becomes a tombstone, which expires at once: whoever read the acceptance before it goes must not
 * take what is left for an invocation that nobody has begun. A child's acceptance stays too, without its input, for a
 * redo of its caller must find that it has been (I2).
 * @returns false where somebody else has changed the end meanwhile: load again
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
  engine.log.info("an invocation is purged", { invocationId: invocation.acceptance.id, nonce });
  return true;
}

function endAlone({ index, writtenAtMs, pin, attempt }: Segment, after: Segment["after"]): Segment {
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

/** Never absent for a moment: the final segment is what keeps a late driver from writing another (I1). */
async function replaceEnd(
  engine: Engine,
  pk: string,
  invocation: Invocation,
  end: Segment,
  lastAct?: OperatorAct,
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
    expiresAtS: expiresAtSOf(existing) ?? keepUntilS(engine.settings, acceptance, engine.clock.nowMs()),
  };
  const span = end.attempt ?? { startedAtMs: end.writtenAtMs, endedAtMs: end.writtenAtMs };
  // The pin and the count of attempts stood in segments that are to go.
  const whole: Segment = {
    ...end,
    ...(pin && { pin }),
    ...(attempts > 0 && { attempt: { ...span, number: attempts } }),
  };
  // The order of the last operator stood there, too.
  const told = { ...segmentItem(place, whole), ...actAttributes(lastAct) };
  const item = await chunkForPut(engine, told, acceptance.nonce);
  const put = await engine.table.put(item, { kind: "equal", attribute: "b", value: b });
  // A put whose answer was lost and that was sent again is refused by itself: its token tells it from any other.
  const isOurs = put.written || sameBytes(put.existing?.["b"], item["b"]);
  if (isOurs) await dropPieces(engine, existing);
  return isOurs;
}

function expiresAtSOf({ expiresAtS }: Item): number | undefined {
  return typeof expiresAtS === "number" ? expiresAtS : undefined;
}

/** Everything of this life but its end and its acceptance, and what the caller keeps. */
async function deleteItems(
  engine: Engine,
  pk: string,
  { acceptance, segmentIndex }: Invocation,
  keeps: (sk: string) => boolean,
): Promise<void> {
  const { nonce } = acceptance;
  const stays = new Set([segmentKey(pk, nonce, 0).sk, segmentKey(pk, nonce, segmentIndex).sk]);
  const items = (await readPartition(engine.table, pk, EVERYTHING)).filter(
    ({ sk }) => belongsTo(sk, nonce) && !stays.has(sk) && !sk.startsWith(PIECES.from) && !keeps(sk),
  );
  await atMost(AT_ONCE, items, async (item) => {
    await dropPieces(engine, item);
    await engine.table.delete({ pk, sk: item.sk });
  });
}

/**
 * The input is the first entry of the journal. A mark tells whoever glances at what stays that the rest is over.
 * @param isListed whether the listing still shows it
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

/** A purge removes the caller from the acceptance. */
function withoutCaller(invocation: Invocation): Invocation {
  const { createdBy: _, ...acceptance } = invocation.acceptance;
  return { ...invocation, acceptance };
}

async function removeAcceptance(engine: Engine, pk: string, { acceptance }: Invocation): Promise<void> {
  const key = segmentKey(pk, acceptance.nonce, 0);
  const existing = await engine.table.get(key);
  if (existing?.["n"] !== acceptance.nonce) return;
  await engine.table.delete(key, { kind: "equal", attribute: "n", value: acceptance.nonce });
  // Whether this delete has removed the acceptance, or one before it whose answer was lost: its pieces belong to nothing now.
  await dropPieces(engine, existing);
}
