/** The secret from which ids are derived, which stays the same as long as the store exists, and other bytes that exist before an id source. */
import { createHash, randomBytes } from "node:crypto";
import { CodedError } from "../core/errors/coded-error.ts";
import type { Item, Key, Table } from "../engine/ports/table.ts";

const SECRET_SIZE_BYTES = 32;

export function secretKey(keyPrefix: string): Key {
  return { pk: `${keyPrefix}secret`, sk: "hmac" };
}

/**
 * @param random a cryptographic source of random bytes
 * @throws Error if the stored value is not a secret. With another secret, ids would differ and finished work would repeat
 */
export async function environmentSecret(
  meta: Table,
  keyPrefix: string,
  random: (size: number) => Uint8Array,
): Promise<Uint8Array> {
  const key = secretKey(keyPrefix);
  const existing = await meta.get(key);
  if (existing !== undefined) return secretOf(existing["secret"]);
  const bytes = random(SECRET_SIZE_BYTES);
  const put = await meta.put({ ...key, secret: bytes }, { kind: "absent" });
  return put.written ? bytes : secretOf(put.existing?.["secret"]);
}

/**
 * Checks a secret that is kept outside of the store: the store contains a digest of the secret with which it was written. If
 * the store contains a secret instead of a digest, that secret stays in use.
 * @throws CodedError RT0002 if the store was written with another secret
 */
export async function recognisedSecret(meta: Table, keyPrefix: string, secret: Uint8Array): Promise<Uint8Array> {
  const key = secretKey(keyPrefix);
  const digest = createHash("sha256").update(secret).digest("base64url");
  const existing = (await meta.get(key)) ?? (await putDigest(meta, key, digest));
  const own = existing["secret"];
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

const OWNER_SIZE_BYTES = 6;

export function freshSecretBytes(size: number): Uint8Array {
  return new Uint8Array(randomBytes(size));
}

/** The prefix of every token of this process. It distinguishes the leases of this process from those of dead ones. */
export function freshOwner(): string {
  return randomBytes(OWNER_SIZE_BYTES).toString("hex");
}
