/** The changes of a lock when its holder gives it back: the key comes free, or goes to the next ticket (I6, ADR 11). */
import type { KeyedState } from "../../core/object/keyed-state.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import type { Condition, Item, ItemValue, Update } from "../ports/table.ts";
import { type Lock, packState } from "../store/lock-record.ts";
import { inboxKey } from "../store/object-keys.ts";
import { underGrant } from "./object-lock.ts";
import { expiryOfEmpty } from "./object-state.ts";

/** `none`: a ticket that is void, or damaged. */
export type Next =
  | { readonly kind: "waiter"; readonly id: InvocationId; readonly nonce: Nonce; readonly applied: number }
  | { readonly kind: "edit"; readonly item: Item }
  | { readonly kind: "none" };

/** An update that always has `set` and `remove`, because `takenWith` adds further attributes to both. */
type Freed = Update & { readonly set: Readonly<Record<string, ItemValue>>; readonly remove: readonly string[] };

/** Marks all changes of the leaving holder as already applied, so that a redo cannot write them over an edit. */
export const ALL_APPLIED = Number.MAX_SAFE_INTEGER;

/** Frees the key. */
export function freed(engine: Engine, state: KeyedState): Freed {
  const expiresAtS = expiryOfEmpty(engine, state);
  return {
    set: { held: 0, st: packState(state), ...(expiresAtS !== undefined && { expiresAtS }) },
    remove: ["holder", "holderNonce", "givenBy"],
  };
}

/** Serves the ticket after the last served one. */
export function servedTo(engine: Engine, lock: Lock, state: KeyedState, next: Next): Update {
  const served = { head: lock.head + 1, st: packState(state) };
  if (next.kind !== "waiter") return { set: { ...served, applied: ALL_APPLIED } };
  const nowMs = engine.clock.nowMs();
  const grant = Math.max(nowMs, lock.grant + 1);
  const { id: holder, nonce: holderNonce, applied } = next;
  return { set: { ...served, holder, holderNonce, givenBy: lock.holder!.nonce, grant, applied, sinceMs: nowMs } };
}

export function whileNoneWaits(lock: Lock): Condition {
  return underGrant(lock.holder!, lock.grant, [{ kind: "equal", attribute: "tail", value: lock.tail }]);
}

export function whileNextIs(lock: Lock): Condition {
  return underGrant(lock.holder!, lock.grant, [{ kind: "equal", attribute: "head", value: lock.head }]);
}

/** @returns undefined if the ticket was drawn but is not written */
export async function ticketAt(engine: Engine, pk: string, ticket: number): Promise<Next | undefined> {
  const item = await engine.table.get(inboxKey(pk, ticket));
  return item && nextOf(item);
}

export function nextOf(item: Item | undefined): Next {
  if (item?.["edit"] === true) return { kind: "edit", item };
  const { id, n, applied }: Partial<Item> = item ?? {};
  if (typeof id !== "string" || typeof n !== "string") return { kind: "none" };
  return { kind: "waiter", id: id as InvocationId, nonce: n as Nonce, applied: Number(applied ?? 0) };
}
