/** Random bytes that are needed before the engine's id source exists. */
import { randomBytes } from "node:crypto";

const OWNER_SIZE_BYTES = 6;

export function freshSecretBytes(size: number): Uint8Array {
  return new Uint8Array(randomBytes(size));
}

/** The prefix of every token of this process, which separates its own leases from those of a dead process. */
export function freshOwner(): string {
  return randomBytes(OWNER_SIZE_BYTES).toString("hex");
}
