/** Names the stack of a trial after the caller, so that people in one account do not destroy each other's stacks. */

const PREFIX = "StepwellTry";
const WHO_MAX_CHARACTERS = 20;

/** Identifies a stack that this command deployed and may destroy. */
export const STACK_DESCRIPTION = "Stepwell, deployed by `npm run try` to be looked at and destroyed";

/** @param callerArn the ARN of a user, of a role's session, or of the account's root */
export function stackNameOf(callerArn: string): string {
  const last = callerArn.split(/[/:]/).at(-1) ?? "";
  const who = last
    .replace(/@.*/, "")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .slice(0, WHO_MAX_CHARACTERS)
    .replace(/^-/, "")
    .replace(/-$/, "");
  return who === "" ? PREFIX : `${PREFIX}-${who}`;
}
