/** Makes random bytes that are needed before the engine's id source exists. */
import { randomBytes } from "node:crypto";

const OWNER_SIZE_BYTES = 6;

export function freshSecretBytes(size: number): Uint8Array {
  return new Uint8Array(randomBytes(size));
}

/** The prefix of every token of this process. It distinguishes the leases of this process from those of dead ones. */
export function freshOwner(): string {
  return randomBytes(OWNER_SIZE_BYTES).toString("hex");
}
