/** The message group of a service: by it a standard queue is fair, and neither orders nor slows what it carries. */
import { createHash } from "node:crypto";

/** Letters, digits and punctuation of ASCII. */
const TAKEN = /^[!-~]{1,128}$/;

/** A name that SQS would refuse is hashed: what counts is that each service has a group of its own. */
export function messageGroup(service: string): string {
  return TAKEN.test(service) ? service : createHash("sha256").update(service).digest("base64url");
}
