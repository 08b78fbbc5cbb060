/** Tests the reason with which an exchange fails after each failure of Lambda, and that the adapter repeats no call. */
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { LambdaEndpoints } from "../../../shared/adapters/lambda/lambda-endpoints.ts";
import type { Exchange } from "../../../shared/engine/ports/endpoints.ts";
import { readAll, reasonOf } from "../../contracts/endpoints-contract.ts";
import { startService, type ScriptedAnswer, type ScriptedService } from "../scripted-service.ts";

const ARN = "arn:aws:lambda:eu-west-1:123456789012:function:greeter:live";

const opened: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function callOf(
  answer: () => ScriptedAnswer | Promise<ScriptedAnswer>,
  { arn = ARN, handlerTag }: { readonly arn?: string; readonly handlerTag?: string } = {},
): Promise<{ readonly exchange: Exchange; readonly service: ScriptedService }> {
  const service = await startService(answer);
  const { endpoint, credentials } = service.options;
  const endpoints = new LambdaEndpoints({ endpoint, credentials, ...(handlerTag !== undefined && { handlerTag }) });
  opened.push(() => endpoints.close(), service.stop);
  const request = { method: "POST", path: "/invoke/S/h", headers: {}, body: [], halfClose: true } as const;
  return { exchange: endpoints.open({ destination: { arn }, ...request }), service };
}

test("a call is one request that names the function by its qualified ARN", async () => {
  const { exchange, service } = await callOf(() => ({ body: { statusCode: 200 } }));
  expect(await exchange.head()).toEqual({ status: 200, headers: {}, httpVersion: "http1.1" });
  expect(await readAll(exchange)).toHaveLength(0);
  expect(service.asked.map(({ path }) => decodeURIComponent(path))).toEqual([
    `/2015-03-31/functions/${ARN}/invocations`,
  ]);
});

test.each([
  [429, "TooManyRequestsException", "throttled"],
  [429, "SomethingNew", "throttled"],
  [502, "EC2ThrottledException", "throttled"],
  [413, "RequestTooLargeException", "too-large"],
  [403, "AccessDeniedException", "unreachable"],
  [404, "ResourceNotFoundException", "unreachable"],
  [400, "InvalidRequestContentException", "unreachable"],
  [409, "ResourceConflictException", "unreachable"],
  [500, "ServiceException", "unreachable"],
  [502, "KMSAccessDeniedException", "unreachable"],
])("%i %s means %s, after one call", async (status, error, reason) => {
  const { exchange, service } = await callOf(() => ({
    status,
    headers: { "x-amzn-errortype": error, "content-type": "application/json" },
    body: { Message: "as it is" },
  }));
  await expect(exchange.head()).rejects.toThrow(`${ARN}': ${error}: as it is`);
  expect(await reasonOf(exchange.head())).toBe(reason);
  expect(service.asked).toHaveLength(1);
});

test("a missing permission gives an error with the commands that grant it; without a handler tag there is one command only", async () => {
  const role = "arn:aws:sts::123456789012:assumed-role/Stepwell-AdminRole-1X/admin";
  const refuse = () => ({
    status: 403,
    headers: { "x-amzn-errortype": "AccessDeniedException", "content-type": "application/json" },
    body: { Message: `User: ${role} is not authorized to perform: lambda:InvokeFunction on resource: ${ARN}` },
  });
  const { exchange } = await callOf(refuse, { handlerTag: "Live" });
  const { message } = (await exchange.head().catch((error: unknown) => error)) as Error;
  // A failed attempt keeps only the start of its message.
  expect(message).toMatch(/^lambda:InvokeFunction is missing\. Grant it by: aws lambda add-permission /);
  expect(message).toContain(
    `aws lambda add-permission --function-name ${ARN} --statement-id stepwell --action lambda:InvokeFunction --principal arn:aws:iam::123456789012:role/Stepwell-AdminRole-1X`,
  );
  expect(message).toContain(
    "aws lambda tag-resource --resource arn:aws:lambda:eu-west-1:123456789012:function:greeter --tags stepwell=Live",
  );
  // Without a handler tag, the calls are permitted by a role that lists the callable functions. A tag would permit nothing, so
  // the error has no command that sets a tag.
  const named = await callOf(refuse);
  const told = (await named.exchange.head().catch((error: unknown) => error)) as Error;
  expect(told.message).toMatch(/^lambda:InvokeFunction is missing\. Grant it by: aws lambda add-permission /);
  expect(told.message).not.toContain("tag-resource");
  // The permission may be there, and the call refused nevertheless.
  for (const cause of [
    "on the alias live",
    "handlerArns",
    "permissions boundary",
    "service control policy",
    "assume_role_arn",
  ])
    expect([message, told.message].map((text) => text.includes(cause))).toEqual([true, true]);
});

const OWN = "arn:aws:sts::123456789012:assumed-role/Stepwell-AdminRole-1X/admin";
const refusal = (more = "", role = OWN) =>
  `User: ${role} is not authorized to perform: lambda:InvokeFunction on resource: ${ARN}${more}`;

test.each([
  [
    "AccessDeniedException",
    refusal(" with an explicit deny in a service control policy"),
    "A service control policy denies lambda:InvokeFunction for arn:aws:iam::123456789012:role/Stepwell-AdminRole-1X",
  ],
  [
    "AccessDeniedException",
    refusal(" with an explicit deny in an identity-based policy"),
    "An identity-based policy denies",
  ],
  [
    "AccessDeniedException",
    refusal(" because no permissions boundary allows the lambda:InvokeFunction action"),
    "A permissions boundary does not allow",
  ],
  [
    "AccessDeniedException",
    refusal(" because no identity-based policy allows the lambda:InvokeFunction action"),
    "lambda:InvokeFunction is missing. Grant it by: aws lambda add-permission",
  ],
  [
    "AccessDeniedException",
    refusal("", OWN.replace("123456789012", "111122223333")),
    "lambda:InvokeFunction is missing. The function is in another account, so both sides must allow the call.",
  ],
  ["KMSAccessDeniedException", "no key", "The function's own role may not use the KMS key of its environment"],
  ["EC2AccessDeniedException", "no network", "The function's own role may not create network interfaces"],
  ["ResourceNotFoundException", "no function", "The function, or its alias live, does not exist"],
])("the remedy of %s '%s' names the cause: %s", async (name, Message, remedy) => {
  const headers = { "x-amzn-errortype": name, "content-type": "application/json" };
  const { exchange } = await callOf(() => ({ status: 403, headers, body: { Message } }), { handlerTag: "Live" });
  const { message } = (await exchange.head().catch((error: unknown) => error)) as Error;
  expect(message.startsWith(remedy)).toBe(true);
  // A tag permits no call from another account.
  if (remedy.includes("another account")) expect(message).not.toContain("tag-resource");
});

test("a call from inside a Lambda function does not carry that function's trace", async () => {
  vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "worker");
  vi.stubEnv("_X_AMZN_TRACE_ID", "Root=1-5759e988-bd862e3fe1be46a994272793;Lineage=1:a87bd80c:15");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { exchange, service } = await callOf(() => ({ body: { statusCode: 200 } }));
  await exchange.head();
  expect(service.asked.map(({ traceId }) => traceId)).toEqual([undefined]);
});

test("a connection that breaks during the call breaks the exchange, and the call is not repeated", async () => {
  const { exchange, service } = await callOf(() => Promise.reject(new Error("cut")));
  expect(await reasonOf(exchange.head())).toBe("broken");
  expect(service.asked).toHaveLength(1);
});

test("a stopped service is unreachable", async () => {
  const gone = await startService(() => ({}));
  await gone.stop();
  const { endpoint, credentials } = gone.options;
  const endpoints = new LambdaEndpoints({ endpoint, credentials });
  opened.push(() => endpoints.close());
  const request = { method: "POST", path: "/invoke/S/h", headers: {}, body: [], halfClose: true } as const;
  expect(await reasonOf(endpoints.open({ destination: { arn: ARN }, ...request }).head())).toBe("unreachable");
});

test.each([
  ["Unhandled", { errorType: "Error", errorMessage: "on fire" }, "broken", "on fire"],
  [
    "Unhandled",
    { errorType: "Sandbox.Timedout", errorMessage: "Task timed out after 3.00 seconds" },
    "broken",
    "timed",
  ],
  [
    "Unhandled",
    { errorType: "Function.ResponseSizeTooLarge", errorMessage: "Response payload size exceeded maximum allowed" },
    "too-large",
    "Response payload size",
  ],
])("a function error %s with %o is %s", async (functionError, body, reason, words) => {
  const { exchange } = await callOf(() => ({ headers: { "x-amz-function-error": functionError }, body }));
  await expect(exchange.head()).rejects.toThrow(words);
  expect(await reasonOf(exchange.head())).toBe(reason);
});

test.each(["", "null", "[]", '"text"', "{}", '{"statusCode":99}', '{"statusCode":200,"body":{}}', "<html>"])(
  "the answer %s is refused, because no SDK sends it",
  async (body) => {
    const { exchange } = await callOf(() => ({ body }));
    await expect(exchange.head()).rejects.toThrow("is not that of a Restate SDK");
    expect(await reasonOf(exchange.next())).toBe("broken");
  },
);

test("a call to an ARN with an invalid region sends no request", async () => {
  const { exchange, service } = await callOf(() => ({ body: { statusCode: 200 } }), {
    arn: ARN.replace("eu-west-1", "evil.com/"),
  });
  expect(await reasonOf(exchange.head())).toBe("unreachable");
  expect(service.asked).toEqual([]);
});

test("an abort cancels the call under way", async () => {
  let arrived = (): void => {};
  const underWay = new Promise<void>((resolve) => (arrived = resolve));
  const { exchange } = await callOf(() => {
    arrived();
    return new Promise<never>(() => {});
  });
  const head = reasonOf(exchange.head());
  await underWay;
  exchange.abort();
  expect(await head).toBe("aborted");
});
