/** Tests which texts name a version of a Lambda function. */
import { expect, test } from "vitest";
import { LambdaArnError, parseLambdaArn } from "../../../shared/core/model/lambda-arn.ts";

const FUNCTION = "arn:aws:lambda:eu-west-1:123456789012:function:greeter";

test.each([
  [`${FUNCTION}:7`, "eu-west-1", "7"],
  [`${FUNCTION}:live`, "eu-west-1", "live"],
  [`${FUNCTION}:$LATEST`, "eu-west-1", "$LATEST"],
  ["arn:aws-us-gov:lambda:us-gov-east-1:123456789012:function:greeter:1", "us-gov-east-1", "1"],
  ["arn:aws-cn:lambda:cn-north-1:123456789012:function:greeter:1", "cn-north-1", "1"],
])("%s names a version", (text, region, qualifier) => {
  expect(parseLambdaArn(text)).toEqual({ text, region, account: "123456789012", functionName: "greeter", qualifier });
});

test.each([FUNCTION, `${FUNCTION}:`])("%s names no version, and the refusal shows how to name one", (text) => {
  expect(() => parseLambdaArn(text)).toThrow(LambdaArnError);
  expect(() => parseLambdaArn(text)).toThrow(`as in '${FUNCTION}:1', or $LATEST`);
});

test.each([
  ["", "is not the ARN of a Lambda function"],
  ["greeter:1", "is not the ARN of a Lambda function"],
  ["arn:aws:sqs:eu-west-1:123456789012:function:greeter:1", "is not the ARN of a Lambda function"],
  ["arn:aws:lambda:eu-west-1:123456789012:layer:greeter:1", "is not the ARN of a Lambda function"],
  [`${FUNCTION}:1:2`, "is not the ARN of a Lambda function"],
  ["arn::lambda:eu-west-1:123456789012:function:greeter:1", "the partition"],
  ["arn:aws:lambda::123456789012:function:greeter:1", "the region"],
  ["arn:aws:lambda:evil.example/:123456789012:function:greeter:1", "the region"],
  ["arn:aws:lambda:eu-west-1:1234:function:greeter:1", "the account"],
  ["arn:aws:lambda:eu-west-1:123456789012:function::1", "the function name"],
  ["arn:aws:lambda:eu-west-1:123456789012:function:a b:1", "the function name"],
  [`${FUNCTION}:li ve`, "the version or alias"],
  [`${FUNCTION}:1\n`, "the version or alias"],
])("%j is refused: %s", (text, why) => {
  expect(() => parseLambdaArn(text)).toThrow(LambdaArnError);
  expect(() => parseLambdaArn(text)).toThrow(why);
});
