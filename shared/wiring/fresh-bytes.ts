/** Random bytes for what must be there before the engine's own source of identity is. */
import { randomBytes } from "node:crypto";

const OWNER_SIZE_BYTES = 6;

export function freshSecretBytes(size: number): Uint8Array {
  return new Uint8Array(randomBytes(size));
}

/** The beginning of every token that this process writes, so that it knows its own leases from those of a dead one. */
export function freshOwner(): string {
  return randomBytes(OWNER_SIZE_BYTES).toString("hex");
}
