/**
 * The item that names the current invocation of a singleton key, and the void that stands in for an acceptance that never came
 * (docs/design.md#singletons).
 */
import type { Replaces } from "../../core/invocation/acceptance.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { Item, Key } from "../ports/table.ts";
import { ACCEPTANCE_SK, invocationPk } from "./item-keys.ts";

/** The current invocation of a key. It is written before its acceptance. */
export interface Current {
  readonly id: InvocationId;
  /** When it became the current one. */
  readonly atMs: number;
  /** The invocation that it replaces. If its acceptance never comes, the former one is the current one again. */
  readonly replaces?: Replaces;
}

/** @param place the id that follows from the target and the singleton key; no invocation has this id */
export function currentKey(prefix: string, place: string): Key {
  return { pk: invocationPk(prefix, place), sk: "single" };
}

export function currentItem(key: Key, { id, atMs, replaces }: Current, expiresAtS: number): Item {
  return {
    ...key,
    id,
    atMs,
    expiresAtS,
    ...(replaces && { formerId: replaces.id }),
    ...(replaces?.graceMs !== undefined && { formerGraceMs: replaces.graceMs }),
  };
}

export function readCurrent({ id, atMs, formerId, formerGraceMs: graceMs }: Item): Current {
  const grace = typeof graceMs === "number" && { graceMs };
  return {
    id: String(id) as InvocationId,
    atMs: Number(atMs),
    ...(typeof formerId === "string" && { replaces: { id: formerId as InvocationId, ...grace } }),
  };
}

/** Without a nonce, no reader takes it for an acceptance; the put of the acceptance, which comes too late, is refused. */
export function voidItem(prefix: string, id: InvocationId, expiresAtS: number): Item {
  return { pk: invocationPk(prefix, id), sk: ACCEPTANCE_SK, void: true, expiresAtS };
}

export function isVoid(item: Item | undefined): boolean {
  return item?.["void"] === true;
}
