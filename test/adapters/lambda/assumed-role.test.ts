/** Tests functions that are called under another role: the signer of the call, and the error for a refused role. */
import { expect, onTestFinished, test } from "vitest";
import { LambdaEndpoints } from "../../../shared/adapters/lambda/lambda-endpoints.ts";
import type { Exchange } from "../../../shared/engine/ports/endpoints.ts";
import { reasonOf } from "../../contracts/endpoints-contract.ts";
import { startService, type ScriptedAnswer, type ScriptedService } from "../scripted-service.ts";

const ARN = "arn:aws:lambda:eu-west-1:123456789012:function:greeter:live";
const ROLE = "arn:aws:iam::210987654321:role/caller";
const GRANTED: ScriptedAnswer = {
  headers: { "content-type": "text/xml" },
  body: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>ASSUMED</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken>
<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
};
const REFUSED: ScriptedAnswer = {
  status: 403,
  headers: { "content-type": "text/xml" },
  body: `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>AccessDenied</Code>
<Message>it does not trust you</Message></Error></ErrorResponse>`,
};

interface World {
  readonly service: ScriptedService;
  call(assumeRoleArn?: string): Exchange;
}

async function world(role: ScriptedAnswer): Promise<World> {
  const service = await startService(({ path }) => (path === "/" ? role : { body: { statusCode: 200 } }));
  const { endpoint, credentials } = service.options;
  const endpoints = new LambdaEndpoints({ endpoint, credentials });
  onTestFinished(async () => {
    endpoints.close();
    await service.stop();
  });
  const request = { method: "POST", path: "/invoke/S/h", headers: {}, body: [], halfClose: true } as const;
  return {
    service,
    call: (assumeRoleArn) =>
      endpoints.open({ destination: { arn: ARN, ...(assumeRoleArn && { assumeRoleArn }) }, ...request }),
  };
}

const signers = ({ asked }: ScriptedService) =>
  asked.map(({ path, signer }) => [path === "/" ? "sts" : "lambda", signer]);

test("the role is assumed once, and its credentials sign each call", async () => {
  const { service, call } = await world(GRANTED);
  for (let i = 0; i < 2; i++) expect((await call(ROLE).head()).status).toBe(200);
  expect(signers(service)).toEqual([
    ["sts", "test"],
    ["lambda", "ASSUMED"],
    ["lambda", "ASSUMED"],
  ]);
  expect(service.asked[0]!.text).toContain(`RoleArn=${encodeURIComponent(ROLE)}`);
});

test("a function without a role is called with the credentials of this server", async () => {
  const { service, call } = await world(GRANTED);
  await call(ROLE).head();
  await call().head();
  expect(signers(service).at(-1)).toEqual(["lambda", "test"]);
});

test("a refused role leaves the function uncalled, and the error has the reason", async () => {
  const { service, call } = await world(REFUSED);
  const exchange = call(ROLE);
  await expect(exchange.head()).rejects.toThrow(/it does not trust you/);
  expect(await reasonOf(call(ROLE).head())).toBe("unreachable");
  expect(service.asked.every(({ path }) => path === "/")).toBe(true);
});

test("a missing sts:AssumeRole gives an error that names the setting for the role and the principal to trust", async () => {
  const refused = "arn:aws:sts::123456789012:assumed-role/Stepwell-WorkerRole-1X/worker";
  const message = `User: ${refused} is not authorized to perform: sts:AssumeRole on resource: ${ROLE}`;
  const { call } = await world({ ...REFUSED, body: String(REFUSED.body).replace("it does not trust you", message) });
  await expect(call(ROLE).head()).rejects.toThrow(
    "sts:AssumeRole is missing. Name the role in assumableRoleArns of the control plane, and let it trust arn:aws:iam::123456789012:role/Stepwell-WorkerRole-1X. Lambda did not serve",
  );
});

test("an external id is passed to STS only if one is set", async () => {
  const service = await startService(({ path }) => (path === "/" ? GRANTED : { body: { statusCode: 200 } }));
  onTestFinished(service.stop);
  const { endpoint, credentials } = service.options;
  const request = { method: "POST", path: "/invoke/S/h", headers: {}, body: [], halfClose: true } as const;
  for (const more of [{ externalId: "shop" }, {}]) {
    const endpoints = new LambdaEndpoints({ endpoint, credentials, ...more });
    onTestFinished(() => endpoints.close());
    await endpoints.open({ destination: { arn: ARN, assumeRoleArn: ROLE }, ...request }).head();
  }
  const told = service.asked.filter(({ path }) => path === "/").map(({ text }) => new URLSearchParams(text));
  expect(told.map((one) => one.get("ExternalId"))).toEqual(["shop", null]);
});
