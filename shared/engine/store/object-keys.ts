/** The key scheme of objects and workflows: where the lock, the queue, the state and the promises of one key stand. */
import type { Nonce } from "../../core/model/ids.ts";
import type { Target } from "../../core/model/target.ts";
import type { Key } from "../ports/table.ts";

const SAFE = /^[\x21\x22\x24\x26-\x7e]*$/;
/** A sort key takes 1,024 bytes and a partition key 2,048: what is longer is named by its hash. */
const NAME_MAX = 700;
const OBJECT_KEY_MAX = 1_500;

/** Derives a short name from a long one: the same in one environment for ever. */
export type Shorten = (name: string) => string;

export function objectPk(
  prefix: string,
  { service, key = "" }: Pick<Target, "service" | "key">,
  shorten: Shorten,
): string {
  return `${prefix}obj#${service}#${new TextEncoder().encode(key).length > OBJECT_KEY_MAX ? `~${shorten(key)}` : key}`;
}

export function lockKey(pk: string): Key {
  return { pk, sk: "lock" };
}

/** Tickets are served in the order of their numbers. */
export function inboxKey(pk: string, ticket: number): Key {
  return { pk, sk: `inbox#${String(ticket).padStart(12, "0")}` };
}

export const INBOX = { from: "inbox#", below: "inbox$" };

/** @param life the state and the promises of a former life of a workflow carry another number (I12) */
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

/** Who waits for a promise, by the life that waits and its command. */
export function waiterKey(promise: Key, waiter: { id: string; nonce: Nonce; completionId: number }): Key {
  const { id, nonce, completionId } = waiter;
  return { pk: promise.pk, sk: `waiter${promise.sk.slice("promise".length)}#${id}.${nonce}.${completionId}` };
}

export function waitersOf(promise: Key): { from: string; below: string } {
  const head = `waiter${promise.sk.slice("promise".length)}`;
  return { from: `${head}#`, below: `${head}$` };
}

/** Letters that mean something in a sort key, or to nobody, are written by their bytes. */
function nameIn(name: string, shorten: Shorten): string {
  const safe = SAFE.test(name) ? name : encodeURIComponent(name).replaceAll("#", "%23");
  return safe.length > NAME_MAX ? `~${shorten(name)}` : safe;
}
