/** Text that no codec compresses much, so that it reaches the limits on sizes. */
import { randomBytes } from "node:crypto";

export function noise(characters: number): string {
  return randomBytes(characters).toString("base64").slice(0, characters);
}
