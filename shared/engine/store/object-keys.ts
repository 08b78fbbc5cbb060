/** The key scheme of objects and workflows: the keys of the lock, the queue, the state, the promises and their waiters. */
import type { Nonce } from "../../core/model/ids.ts";
import type { Scope } from "../../core/model/scope.ts";
import type { KeyOwner } from "../../core/model/target.ts";
import type { Key } from "../ports/table.ts";

const SAFE = /^[\x21\x22\x24\x26-\x7e]*$/;
/** A sort key has at most 1,024 bytes and a partition key 2,048: a hash replaces longer names. */
const NAME_MAX = 700;
const OBJECT_KEY_MAX = 1_500;

/** Derives a short name from a long one. In one environment, a long name always gets the same short name. */
export type Shorten = (name: string) => string;

/**
 * The name of a service in keys and attributes: alone, or with `@` and the scope. No service has `@` in its name, so no key
 * in a scope meets one without.
 */
export function scopedService({ service, scope }: Pick<KeyOwner, "service" | "scope">): string {
  return scope === undefined ? service : `${service}@${scope}`;
}

/** The inverse of `scopedService`. */
export function serviceAndScope(name: string): { readonly service: string; readonly scope?: Scope } {
  const at = name.indexOf("@");
  return at < 0 ? { service: name } : { service: name.slice(0, at), scope: name.slice(at + 1) as Scope };
}

export function objectPk(prefix: string, owner: KeyOwner, shorten: Shorten): string {
  const { key = "" } = owner;
  return `${prefix}obj#${scopedService(owner)}#${new TextEncoder().encode(key).length > OBJECT_KEY_MAX ? `~${shorten(key)}` : key}`;
}

/** A part of a partition key that stands for a longer key of an object. */
const SHORTENED = /^~[0-9a-f]{40}$/;

/**
 * The beginning of the partition keys of all objects, or of all objects of one service. Objects of services whose names begin
 * alike have it too: keys with and without a scope have no longer beginning in common.
 */
export function objectsPrefix(prefix: string, service = ""): string {
  return `${prefix}obj#${service}`;
}

/** The beginning of the partition keys of all objects of a service that are in scopes. */
export function scopedObjectsPrefix(prefix: string, service: string): string {
  return `${objectsPrefix(prefix, service)}@`;
}

/** The inverse of `objectPk`. The key is absent if it is too long to be in the partition key. */
export function objectAt(prefix: string, pk: string): KeyOwner {
  // Neither the name of a service nor a scope contains `#`.
  const [name = "", ...rest] = pk.slice(objectsPrefix(prefix).length).split("#");
  const key = rest.join("#");
  return { ...serviceAndScope(name), ...(!SHORTENED.test(key) && { key }) };
}

export function lockKey(pk: string): Key {
  return { pk, sk: "lock" };
}

/** The values of an edit of a workflow's state, until the edit is complete. */
export function editKey(pk: string, edit: Nonce): Key {
  return { pk, sk: `edit#${edit}` };
}

/** Tickets are served in the order of their numbers. */
export function inboxKey(pk: string, ticket: number): Key {
  return { pk, sk: `inbox#${String(ticket).padStart(12, "0")}` };
}

export const INBOX_RANGE = { from: "inbox#", below: "inbox$" };

/** @param life the number of the life; it separates the state of this life from the states of former lives (I12) */
export function stateKey(pk: string, life: number, name: string, shorten: Shorten): Key {
  return { pk, sk: `state#${life}#${nameIn(name, shorten)}` };
}

export function stateRange(life: number): { from: string; below: string } {
  return { from: `state#${life}#`, below: `state#${life}$` };
}

export function promiseKey(pk: string, life: number, name: string, shorten: Shorten): Key {
  return { pk, sk: `promise#${life}#${nameIn(name, shorten)}` };
}

export function promiseRange(life: number): { from: string; below: string } {
  return { from: `promise#${life}#`, below: `promise#${life}$` };
}

/** The key of a waiter of a promise: the life that waits, and its command. */
export function waiterKey(promise: Key, waiter: { id: string; nonce: Nonce; completionId: number }): Key {
  const { id, nonce, completionId } = waiter;
  return { pk: promise.pk, sk: `waiter${promise.sk.slice("promise".length)}#${id}.${nonce}.${completionId}` };
}

export function waitersOf(promise: Key): { from: string; below: string } {
  const head = `waiter${promise.sk.slice("promise".length)}`;
  return { from: `${head}#`, below: `${head}$` };
}

/** Percent-encodes names with separators of sort keys or characters outside of printable ASCII. */
function nameIn(name: string, shorten: Shorten): string {
  const safe = SAFE.test(name) ? name : encodeURIComponent(name).replaceAll("#", "%23");
  return safe.length > NAME_MAX ? `~${shorten(name)}` : safe;
}
