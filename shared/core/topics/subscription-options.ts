/** The options of a subscription that Stepwell itself reads; all others are properties of the consumer. */
import { CodedError } from "../errors/coded-error.ts";

/** `pause`: the subscription stops before the record until an operator acts. `skip`: the record is counted, logged and passed over. */
export type BadRecordPolicy = "pause" | "skip";

export const BAD_RECORD_OPTION = "stepwell.bad-records";
const OWN_PREFIX = "stepwell.";

/** @throws CodedError META0009 for another value */
export function badRecordPolicy(options: Readonly<Record<string, string>>): BadRecordPolicy {
  const asked = options[BAD_RECORD_OPTION] ?? "pause";
  if (asked === "pause" || asked === "skip") return asked;
  throw new CodedError("META0009", `the option ${BAD_RECORD_OPTION} is 'pause' or 'skip', and not '${asked}'`);
}

/** @throws CodedError META0009 if an option of Stepwell has a bad value or does not exist */
export function assertOwnOptions(options: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(options)) {
    if (!name.startsWith(OWN_PREFIX) || name === BAD_RECORD_OPTION) continue;
    throw new CodedError("META0009", `there is no option '${name}'; the only one of Stepwell is ${BAD_RECORD_OPTION}`);
  }
  badRecordPolicy(options);
}
