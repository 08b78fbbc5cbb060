/** The keys of an environment in SSM parameters, from the first deployment to the last. */
import { createServer } from "node:http2";
import { GetParametersCommand } from "@aws-sdk/client-ssm";
import { createEndpointHandler, service } from "@restatedev/restate-sdk";
import "../../examples/polyfill.mjs";
import { expect, onTestFinished, test } from "vitest";
import { keysResource } from "../../functions/keys/keys-handler.ts";
import { HttpsEndpoints } from "../../shared/adapters/https/https-endpoints.ts";
import { ssmClient } from "../../shared/adapters/ssm/ssm-client.ts";
import { SsmParameters } from "../../shared/adapters/ssm/ssm-parameters.ts";
import { parameterNames, readParameterKeys } from "../../shared/wiring/parameter-keys.ts";
import { endpointsSignedBy } from "../../shared/wiring/signing-endpoints.ts";
import { requestTo } from "../contracts/endpoints-contract.ts";
import { startServer } from "../harness/https/peer.ts";
import { freshName, serviceOptions, systemClock } from "./services.ts";
import { MemoryTable } from "../simulation/memory-table.ts";

const client = ssmClient(serviceOptions());
const store = new SsmParameters(client);
const act = keysResource(
  store,
  () => new MemoryTable(),
  () => undefined,
);

function deployed(RequestType: "Create" | "Update" | "Delete", path: string, signingKey: number, more = {}) {
  const ResourceProperties = { Path: path, SigningKey: String(signingKey), Table: "of the stack", ...more };
  const event = { RequestType, ResourceProperties, ResponseURL: "", StackId: "", RequestId: "", LogicalResourceId: "" };
  return act({ ...event, ...(RequestType !== "Create" && { PhysicalResourceId: path }) });
}

test("a stack that is deployed twice keeps its keys", async () => {
  const path = `/stepwell/${freshName("twice")}`;
  const first = await deployed("Create", path, 1);
  const keys = await readParameterKeys(store, { path, signingKey: 1 });
  expect(await deployed("Update", path, 1)).toEqual(first);
  expect(await readParameterKeys(store, { path, signingKey: 1 })).toEqual(keys);
  expect(keys.secret).toHaveLength(32);
  expect(first).toMatchObject({
    physicalId: path,
    attributes: { CurrentPublicKey: expect.stringMatching(/^publickeyv1_/) },
  });
});

test("the created parameters are encrypted", async () => {
  const path = `/stepwell/${freshName("encrypted")}`;
  await deployed("Create", path, 1);
  const { secret, current, next } = parameterNames({ path, signingKey: 1 });
  const { Parameters } = await client.send(new GetParametersCommand({ Names: [secret, current, next] }));
  expect(Parameters!.map(({ Type }) => Type)).toEqual(["SecureString", "SecureString", "SecureString"]);
});

test("one rotation of keys breaks no deployment that trusts the current key and the next", async () => {
  const path = `/stepwell/${freshName("exchanged")}`;
  const { attributes: before } = await deployed("Create", path, 1);
  const trusting = await deploymentTrusting([before!["CurrentPublicKey"]!, before!["NextPublicKey"]!]);
  expect(await trusting.statusOf((await readParameterKeys(store, { path, signingKey: 1 })).signingPem)).toBe(200);
  const { attributes: after } = await deployed("Update", path, 2);
  expect(after!["CurrentPublicKey"]).toBe(before!["NextPublicKey"]);
  expect(await trusting.statusOf((await readParameterKeys(store, { path, signingKey: 2 })).signingPem)).toBe(200);
  await deployed("Update", path, 3);
  expect(await trusting.statusOf((await readParameterKeys(store, { path, signingKey: 3 })).signingPem)).toBe(401);
});

test("the deletion of a stack deletes its keys, unless its data stays", async () => {
  const path = `/stepwell/${freshName("gone")}`;
  await deployed("Create", path, 1);
  await deployed("Update", path, 12);
  await deployed("Delete", path, 12, { Keep: "true" });
  expect((await readParameterKeys(store, { path, signingKey: 12 })).secret).toHaveLength(32);
  await deployed("Delete", path, 12);
  for (const signingKey of [1, 12]) {
    await expect(readParameterKeys(store, { path, signingKey })).rejects.toMatchObject({ code: "RT0002" });
  }
});

async function deploymentTrusting(identityKeys: string[]) {
  const services = [service({ name: "Greeter", handlers: { greet: async () => "hello" } })];
  const peer = await startServer(createServer(createEndpointHandler({ services, identityKeys, logger: () => {} })));
  const plain = new HttpsEndpoints({ allow: ["loopback"] });
  onTestFinished(async () => {
    plain.close();
    await peer.stop();
  });
  const headers = { accept: "application/vnd.restate.endpointmanifest.v4+json" };
  const request = requestTo(peer.uri, "h2 in the clear", { method: "GET", path: "/discover", headers });
  return {
    async statusOf(pem: string): Promise<number> {
      const { status } = await endpointsSignedBy(plain, pem, "the test", systemClock).open(request).head();
      return status;
    },
  };
}
