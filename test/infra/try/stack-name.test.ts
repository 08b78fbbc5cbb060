/** The stack of `npm run try` has a name that follows from the name of the user, in the form that CloudFormation allows. */
import { expect, test } from "vitest";
import { stackNameOf } from "../../../infra/try/stack-name.ts";

test.each([
  ["arn:aws:iam::111122223333:user/ada", "StepwellTry-ada"],
  ["arn:aws:iam::111122223333:user/teams/ada.l", "StepwellTry-ada-l"],
  [
    "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_1/ada.lovelace@example.com",
    "StepwellTry-ada-lovelace",
  ],
  ["arn:aws:sts::111122223333:assumed-role/ci/a-session-with-a-very-long-name", "StepwellTry-a-session-with-a-ver"],
  ["arn:aws:iam::111122223333:root", "StepwellTry-root"],
  ["arn:aws:sts::111122223333:assumed-role/ci/@", "StepwellTry"],
])("the user %s gets the stack %s", (callerArn, name) => {
  expect(stackNameOf(callerArn)).toBe(name);
  expect(name).toMatch(/^[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]$/);
});
