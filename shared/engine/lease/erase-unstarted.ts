/** Erases an invocation that ended before its first attempt: the API finds it no more, so its content must go with its end (I6). */
import { type Acceptance, livesOnce } from "../../core/invocation/acceptance.ts";
import { CANCEL_SIGNAL } from "../../core/protocol/command-parts.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Nonce } from "../../core/model/ids.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import type { Item, Key } from "../ports/table.ts";
import { acceptanceItem, NO_LEASE } from "../store/acceptance-record.ts";
import { type ArrivalContent, arrivalItem } from "../store/arrival-record.ts";
import { ARRIVALS_AND_PIECES, EARLY, invocationPk, segmentKey, uniquePart } from "../store/item-keys.ts";
import { eachPage } from "../store/read-partition.ts";
import { sameBytes } from "../store/record-envelope.ts";

/** The first characters of the keys of arrivals that may have a payload: results, awakeables, signals. */
const WITH_PAYLOAD: ReadonlySet<string> = new Set(["c", "s", "x"]);
const BARE: ArrivalContent = { kind: "notification", id: { index: CANCEL_SIGNAL }, result: undefined };

const PRESENT = { kind: "present" } as const;

/** Greater than every place in the listing. */
const AFTER_ALL = "~";

/**
 * Removes input, headers, caller, idempotency and singleton key from the acceptance, deletes pieces, empties arrivals, and takes the acceptance
 * out of the listing. The acceptance itself stays without content, because an acceptor that repeats its put must find it. The caller must
 * perform the final effects before: the sweeper finds missing effects, and an erasure that was cut short, only through the listing.
 */
export async function eraseUnstarted(engine: Engine, { acceptance, phase }: Invocation): Promise<void> {
  if (phase.status !== "completed" || !phase.tombstone) return;
  const { settings, table } = engine;
  const { id, nonce } = acceptance;
  const key = segmentKey(invocationPk(settings.keyPrefix, id), nonce, 0);
  // `end` marks an invocation that takes no more arrivals.
  const set = { b: acceptanceItem(settings, withoutContent(acceptance), NO_LEASE, 0)["b"]!, end: true };
  const isThis = { kind: "equal", attribute: "n", value: nonce } as const;
  const content = await contentBeside(engine, acceptance, key.pk);
  if (content.length > 0) {
    // A reader must not look for pieces that are gone, so they are deleted after no item names them any more.
    await table.update(key, { set }, isThis);
    await atMost(AT_ONCE, content, async ({ bare }) => bare && (await table.put(bare, PRESENT)));
    await atMost(AT_ONCE, content, async ({ piece }) => piece && (await table.delete(piece)));
  }
  // Every late message repeats this update; the condition refuses the repetition.
  const isListed = { kind: "less", attribute: "listSk", than: AFTER_ALL } as const;
  await table.update(key, { set, remove: ["listPk", "listSk"] }, { kind: "all", of: [isThis, isListed] });
}

/** The idempotency key of a child stays: it is a part of the command of the caller, whose redo must find the child (I2). */
export function withoutContent(acceptance: Acceptance): Acceptance {
  const { createdBy: _, singleton: __, idempotencyKey, ...rest } = acceptance;
  const { kind } = acceptance.source;
  const isChild = kind === "call" || kind === "send";
  return {
    ...rest,
    input: new Uint8Array(0),
    headers: [],
    ...(isChild && idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** A piece to delete, or an arrival without its content. */
interface Erasure {
  readonly piece?: Key;
  readonly bare?: Item;
}

/**
 * Deletes all pieces of this life. Its arrivals stay without content: a redo of a signal recognises by the key of an arrival that this
 * life had the signal, and not a later one (`isLaterLife`). Orders have no payload.
 */
async function contentBeside(
  { table, settings }: Engine,
  acceptance: Acceptance,
  pk: string,
): Promise<readonly Erasure[]> {
  const owners = livesOnce(acceptance) ? [acceptance.nonce, EARLY] : [acceptance.nonce];
  const found: Erasure[] = [];
  const erase = (item: Item, nonce: Nonce): void => {
    if (item.sk.startsWith(`blob#${nonce}#`)) found.push({ piece: { pk, sk: item.sk } });
    const key = uniquePart(item.sk, "arr", nonce);
    if (key === undefined || !WITH_PAYLOAD.has(key[0]!)) return;
    const to = { id: acceptance.id, nonce, key };
    const bare = arrivalItem(settings.keyPrefix, to, BARE, 0, Number(item["expiresAtS"] ?? 0));
    if (!sameBytes(item["b"], bare["b"])) found.push({ bare });
  };
  await eachPage(table, pk, ARRIVALS_AND_PIECES, (items) => {
    for (const item of items) for (const owner of owners) erase(item, owner);
  });
  return found;
}
