/** The message group of a service: groups make a standard queue fair, without ordering or slowing it. */
import { createHash } from "node:crypto";

/** Letters, digits and punctuation of ASCII. */
const TAKEN = /^[!-~]{1,128}$/;

/** A name that SQS refuses is hashed: only a distinct group for each service matters. */
export function messageGroup(service: string): string {
  return TAKEN.test(service) ? service : createHash("sha256").update(service).digest("base64url");
}
