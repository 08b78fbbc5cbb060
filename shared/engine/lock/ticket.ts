/** Tickets, the places in the queue of a key: how long they are kept, and how they are voided. */
import { DAY_S, HOUR_MS, SECOND_MS } from "../../core/model/time-units.ts";
import type { Engine } from "../engine.ts";
import type { Item } from "../ports/table.ts";
import { pieceSizes } from "../store/large-record.ts";
import { INBOX_RANGE, inboxKey } from "../store/object-keys.ts";

/**
 * Makes the queue pass over an invocation that ended or was paused while it waited. From now on the one before it extends the edits
 * behind the ticket, and may have been extended a moment ago, so they are extended here once.
 */
export async function voidTicket(engine: Engine, pk: string, ticket: number): Promise<void> {
  await extendEdits(engine, pk, ticket);
  await engine.table.put({ ...inboxKey(pk, ticket), void: true, expiresAtS: ticketExpiryS(engine) });
}

/** The sweeper extends what waits for longer (`extendQueue`). */
const TICKET_KEPT_S = 30 * DAY_S;

/**
 * Served tickets lie below the head, unread, until they expire, because a deletion would cost a write. An empty lock lives longer than
 * any of them, so that no later queue finds one.
 */
export function ticketExpiryS({ clock }: Pick<Engine, "clock">): number {
  return Math.ceil(clock.nowMs() / 1000) + TICKET_KEPT_S;
}

/** A ticket that is drawn or extended now is kept for an hour longer than the time between two extensions, so a younger one is left. */
const NEARLY_S = HOUR_MS / SECOND_MS;
const PAGE_ITEMS = 8;
/** More void tickets than this between an invocation and an edit come only from as many cancelled calls. */
const VOID_MAX = 200;

/** Extends the edits behind a ticket, up to the next invocation that waits. */
export async function extendEdits(engine: Engine, pk: string, ticket: number): Promise<void> {
  const range = { from: inboxKey(pk, ticket + 1).sk, below: INBOX_RANGE.below, limit: PAGE_ITEMS };
  let after: string | undefined;
  for (let voided = 0; voided < VOID_MAX;) {
    const page = await engine.table.query(pk, after === undefined ? range : { ...range, after });
    for (const item of page.items) {
      if (item["edit"] === true) await extendEdit(engine, item);
      else if (item["void"] === true) voided++;
      else return;
    }
    after = page.next;
    if (after === undefined) return;
  }
}

/** The pieces come before the ticket, because a ticket without its pieces cannot be served. */
async function extendEdit(engine: Engine, item: Item): Promise<void> {
  const expiresAtS = ticketExpiryS(engine);
  if (Number(item["expiresAtS"]) >= expiresAtS - NEARLY_S) return;
  const keys = [...pieceSizes(item).map(({ key }) => key), { pk: item.pk, sk: item.sk }];
  for (const { pk, sk } of keys)
    await engine.table.update(
      { pk, sk },
      { set: { expiresAtS } },
      { kind: "less", attribute: "expiresAtS", than: expiresAtS },
    );
}
