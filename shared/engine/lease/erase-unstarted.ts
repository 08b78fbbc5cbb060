/** Erases an invocation that ended before its first attempt: the API finds it no more, so its content must go with its end (I6). */
import { type Acceptance, livesOnce } from "../../core/invocation/acceptance.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Nonce } from "../../core/model/ids.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import type { Key, Table } from "../ports/table.ts";
import { acceptanceItem, NO_LEASE } from "../store/acceptance-record.ts";
import { ARRIVALS_AND_PIECES, EARLY, invocationPk, segmentKey } from "../store/item-keys.ts";
import { eachPage } from "../store/read-partition.ts";

/** Greater than every place in the listing. */
const AFTER_ALL = "~";

/**
 * Removes input, headers, caller and idempotency key from the acceptance, deletes pieces and arrivals, and takes the acceptance out of
 * the listing. The acceptance itself stays without content, because an acceptor that repeats its put must find it. The caller must
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
  const content = await contentBeside(table, key.pk, livesOnce(acceptance) ? [nonce, EARLY] : [nonce]);
  if (content.length > 0) {
    // A reader that finds the acceptance must not look for its pieces, so these are deleted after it has lost its content.
    await table.update(key, { set }, isThis);
    await atMost(AT_ONCE, content, (item) => table.delete(item));
  }
  // Every late message repeats this update; the condition refuses the repetition.
  const isListed = { kind: "less", attribute: "listSk", than: AFTER_ALL } as const;
  await table.update(key, { set, remove: ["listPk", "listSk"] }, { kind: "all", of: [isThis, isListed] });
}

/** The idempotency key of a child stays: it is a part of the command of the caller, whose redo must find the child (I2). */
export function withoutContent(acceptance: Acceptance): Acceptance {
  const { createdBy: _, idempotencyKey, ...rest } = acceptance;
  const { kind } = acceptance.source;
  const isChild = kind === "call" || kind === "send";
  return {
    ...rest,
    input: new Uint8Array(0),
    headers: [],
    ...(isChild && idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** The keys of all pieces of these owners, and of their arrivals but for orders: segments list orders, which have no payload. */
async function contentBeside(table: Table, pk: string, owners: readonly Nonce[]): Promise<readonly Key[]> {
  const heads = owners.flatMap((owner) => [`blob#${owner}#`, ...["c", "s", "x"].map((kind) => `arr#${owner}#${kind}`)]);
  const found: Key[] = [];
  await eachPage(table, pk, ARRIVALS_AND_PIECES, async (items) => {
    for (const { sk } of items) if (heads.some((head) => sk.startsWith(head))) found.push({ pk, sk });
  });
  return found;
}
