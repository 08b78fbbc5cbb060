/** The secret under which ids are derived: made at the first start, and the same for as long as its store lives. */
import type { Table } from "../engine/ports/table.ts";

const SECRET_SIZE_BYTES = 32;
const SK = "hmac";

/**
 * @param random makes random bytes of a secret's quality
 * @throws Error where what is stored is no secret: deriving under another one would repeat what was done already
 */
export async function environmentSecret(
  meta: Table,
  keyPrefix: string,
  random: (size: number) => Uint8Array,
): Promise<Uint8Array> {
  const pk = `${keyPrefix}secret`;
  const standing = await meta.get({ pk, sk: SK });
  if (standing !== undefined) return secretOf(standing["bytes"]);
  const bytes = random(SECRET_SIZE_BYTES);
  const put = await meta.put({ pk, sk: SK, bytes }, { kind: "absent" });
  return put.written ? bytes : secretOf(put.standing?.["bytes"]);
}

function secretOf(bytes: unknown): Uint8Array {
  if (bytes instanceof Uint8Array && bytes.length === SECRET_SIZE_BYTES) return bytes;
  throw new Error("the meta store holds a secret of another form");
}
