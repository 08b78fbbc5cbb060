/** Failures of AWS and of the CDK become failures of the command; known ones get a remedy. */
import { expect, test } from "vitest";
import { CommandFailure } from "../../../functions/cli/text/command-failure.ts";
import { awsFailure } from "../../../infra/try/aws-failure.ts";

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });
const told = (text: string): Error => Object.assign(new Error("cdk deploy failed with exit code 1"), { told: text });

test.each([
  [
    named("CredentialsProviderError", "Could not load credentials from any providers"),
    "No credentials for AWS are found",
  ],
  [
    named("ExpiredTokenException", "The security token included in the request is expired"),
    "The credentials for AWS have expired",
  ],
  [
    named("CredentialsProviderError", "The SSO session associated with this profile has expired."),
    "The credentials for AWS have expired",
  ],
  [
    named("InvalidClientTokenId", "The security token included in the request is invalid."),
    "AWS does not know the credentials",
  ],
  [named("Error", "Region is missing"), "No Region is chosen"],
  [Object.assign(new Error("getaddrinfo ENOTFOUND sts.nowhere"), { code: "ENOTFOUND" }), "AWS does not answer"],
  [
    named("AccessDenied", "User: ada is not authorized to perform: cloudformation:DescribeStacks"),
    "A permission is missing",
  ],
])("%s", (error, message) => {
  const failure = awsFailure("It could not be tried", error);
  expect(failure.message).toBe(message);
  expect(failure.text).toMatchObject({ exitCode: 3, fix: expect.any(String) as string });
  expect(failure.text.cause).toContain(error.message);
});

test("the cause contains the failed lines of the CDK's output, and no others", () => {
  const text = [
    "Bundling asset ...",
    " Try | 3/40 | 10:00:00 | CREATE_COMPLETE | AWS::SQS::Queue | Wakes",
    " Try | 4/40 | 10:00:01 | CREATE_FAILED   | AWS::IAM::Role | Role User: ada is not authorized to perform: iam:CreateRole on resource: role/x",
  ].join("\n");
  const { message, text: rest } = awsFailure("The stack is not deployed", told(text));
  expect(message).toBe("A permission is missing");
  expect(rest.cause).toMatch(/iam:CreateRole/);
  expect(rest.cause).not.toMatch(/CREATE_COMPLETE|Bundling/);
});

test("a failure for an unknown reason keeps its message, and a long cause is cut", () => {
  const failure = awsFailure("The stack is not deployed", told(`Error: ${"x".repeat(5000)}`));
  expect(failure.message).toBe("The stack is not deployed");
  expect(failure.text.fix).toBeUndefined();
  expect(failure.text.cause!.length).toBeLessThan(700);
});

test("a failure of the command itself stays as it is", () => {
  const failure = new CommandFailure("Not this stack", { exitCode: 3 });
  expect(awsFailure("It could not be tried", failure)).toBe(failure);
});
