/** The secret under which ids are derived: made at the first start, and the same for as long as its store lives. */
import { createHash } from "node:crypto";
import { CodedError } from "../core/errors/coded-error.ts";
import type { Item, Key, Table } from "../engine/ports/table.ts";

const SECRET_SIZE_BYTES = 32;

export function secretKey(keyPrefix: string): Key {
  return { pk: `${keyPrefix}secret`, sk: "hmac" };
}

/**
 * @param random makes random bytes of a secret's quality
 * @throws Error where what is stored is no secret: deriving under another one would repeat what was done already
 */
export async function environmentSecret(
  meta: Table,
  keyPrefix: string,
  random: (size: number) => Uint8Array,
): Promise<Uint8Array> {
  const key = secretKey(keyPrefix);
  const existing = await meta.get(key);
  if (existing !== undefined) return secretOf(ownSecret(existing));
  const bytes = random(SECRET_SIZE_BYTES);
  const put = await meta.put(secretItem(keyPrefix, bytes), { kind: "absent" });
  return put.written ? bytes : secretOf(put.existing && ownSecret(put.existing));
}

/** What stands for a secret of the store's own. */
export function secretItem(keyPrefix: string, bytes: Uint8Array): Item {
  return { ...secretKey(keyPrefix), secret: bytes };
}

/** Where it stood before tables told their format: programs of that time look nowhere else, and do not start without it. */
export const FORMER_ATTRIBUTE = "bytes";

function ownSecret(item: Item): Item[string] {
  return item["secret"] ?? item[FORMER_ATTRIBUTE];
}

/**
 * For a secret that is kept elsewhere: the store remembers which one it was written under, and not the secret itself.
 * A store that has a secret of its own goes on with that one.
 * @throws CodedError RT0002 where the store was written under another secret
 */
export async function recognisedSecret(meta: Table, keyPrefix: string, secret: Uint8Array): Promise<Uint8Array> {
  const key = secretKey(keyPrefix);
  const digest = createHash("sha256").update(secret).digest("base64url");
  const existing = (await meta.get(key)) ?? (await putDigest(meta, key, digest));
  const own = ownSecret(existing);
  if (own !== undefined) return secretOf(own);
  if (existing["digest"] === digest) return secret;
  throw new CodedError(
    "RT0002",
    "the store was written under another secret than the one configured now; put the former one back",
  );
}

async function putDigest(meta: Table, key: Key, digest: string): Promise<Item> {
  const item = { ...key, digest };
  const put = await meta.put(item, { kind: "absent" });
  return put.written ? item : (put.existing ?? item);
}

function secretOf(bytes: unknown): Uint8Array {
  if (bytes instanceof Uint8Array && bytes.length === SECRET_SIZE_BYTES) return bytes;
  throw new Error("the meta store holds a secret of another form");
}
