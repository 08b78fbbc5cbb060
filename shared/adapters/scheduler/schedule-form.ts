/** Encodes a timer as the name and the expression of a schedule. */
import { createHash } from "node:crypto";
import { momentIso } from "../../core/model/moment.ts";

const NAME_READABLE_CHARACTERS = 38;
const NAME_HASH_CHARACTERS = 24;

/**
 * A schedule's name has at most 64 characters, and a timer's name has more. The start stays readable, so that an operator can
 * find an invocation among the schedules; 144 bits of a hash identify the whole name (I7).
 */
export function scheduleName(timerName: string): string {
  const readable = timerName.slice(0, NAME_READABLE_CHARACTERS).replaceAll(/[^0-9A-Za-z_-]/g, "_");
  const hash = createHash("sha256").update(timerName).digest("base64url").slice(0, NAME_HASH_CHARACTERS);
  return `${readable}.${hash}`;
}

/** Whole seconds of UTC; fractions are dropped, so that a schedule is never late. */
export function scheduleExpression(atMs: number): string {
  return `at(${momentIso(atMs).slice(0, 19)})`;
}
