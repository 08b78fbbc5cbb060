/** Text that no codec makes much smaller, so that limits on sizes are met. */
import { randomBytes } from "node:crypto";

export function noise(characters: number): string {
  return randomBytes(characters).toString("base64").slice(0, characters);
}
