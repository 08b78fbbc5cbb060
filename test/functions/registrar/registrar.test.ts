/** A deployment as a resource of a stack, with a running control plane and with one that refuses. */
import { createServer } from "node:http";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { ResourceEvent } from "../../../functions/lambda/custom-resource.ts";
import { adminClient } from "../../../functions/registrar/admin-client.ts";
import { deploymentResource } from "../../../functions/registrar/registrar-handler.ts";
import { listen } from "../../harness/local/local-stage.ts";
import { openStage, type ErrorStage } from "../../errors/stage.ts";
import { serveHandlers } from "../../e2e-aws/url-deployment.ts";
import { expectedSignature, signatureOf, type SignedArrival } from "../../harness/cli/expected-signature.ts";

const ROLE = {
  AWS_REGION: "eu-west-1",
  AWS_ACCESS_KEY_ID: "ASIAEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "an example of a secret",
  AWS_SESSION_TOKEN: "of/a+role==",
};
const act = deploymentResource((adminUrl) => adminClient(adminUrl, ROLE));

function event(RequestType: ResourceEvent["RequestType"], adminUrl: string, request: object, more = {}): ResourceEvent {
  return {
    RequestType,
    ResponseURL: "",
    StackId: "",
    RequestId: "",
    LogicalResourceId: "",
    ResourceProperties: { AdminUrl: adminUrl, Request: JSON.stringify(request), RemoveOnDelete: "false", ...more },
  };
}

let stage: ErrorStage;
let uri: string;
beforeEach(async () => {
  [stage, uri] = await Promise.all([
    openStage({ "admin.auth": "off" }),
    serveHandlers("Greeter", { greet: async () => "hello" }),
  ]);
});

const registered = async () => {
  const { body } = await stage.admin("GET", "deployments");
  return (body["deployments"] as { id: string }[]).map(({ id }) => id);
};

test("a created resource is registered, and a repeated event finds it", async () => {
  const made = await act(event("Create", stage.local.adminUrl, { uri }));
  expect(made).toEqual({ physicalId: made.physicalId, attributes: { DeploymentId: made.physicalId } });
  expect(await registered()).toEqual([made.physicalId]);
  expect(await act(event("Create", stage.local.adminUrl, { uri }))).toEqual(made);
  expect(await registered()).toEqual([made.physicalId]);
});

test("another address is another deployment, and the old one stays for its invocations", async () => {
  const { physicalId: old } = await act(event("Create", stage.local.adminUrl, { uri }));
  const next = { ...event("Update", stage.local.adminUrl, { uri: `${uri}/v2` }), PhysicalResourceId: old };
  const { physicalId } = await act(next);
  expect(physicalId).not.toBe(old);
  await act({ ...event("Delete", stage.local.adminUrl, { uri }), PhysicalResourceId: old });
  expect((await registered()).toSorted()).toEqual([old, physicalId].toSorted());
});

test("other headers for the same address are stored in place, and absent headers keep the stored ones", async () => {
  const withHeaders = (headers?: object) => ({ uri, ...(headers && { additional_headers: headers }) });
  const { physicalId } = await act(event("Create", stage.local.adminUrl, withHeaders({ "x-shop": "1" })));
  // The admin API hides the values.
  const shown = async () =>
    Object.keys((await stage.admin("GET", `deployments/${physicalId}`)).body["additional_headers"] as object);
  for (const [headers, expected] of [
    [{ "x-store": "1" }, ["x-store"]],
    [undefined, ["x-store"]],
  ]) {
    const told = event("Update", stage.local.adminUrl, withHeaders(headers));
    expect(await act({ ...told, PhysicalResourceId: physicalId })).toMatchObject({ physicalId });
    expect(await shown()).toEqual(expected);
  }
  expect(await registered()).toEqual([physicalId]);
});

test("RemoveOnDelete removes the deployment, a repeated deletion succeeds, and the deletion after a failed creation removes nothing", async () => {
  const { physicalId } = await act(event("Create", stage.local.adminUrl, { uri }));
  const deletion = event("Delete", stage.local.adminUrl, { uri }, { RemoveOnDelete: "true" });
  await act({ ...deletion, PhysicalResourceId: "never-made" });
  expect(await registered()).toEqual([physicalId]);
  await act({ ...deletion, PhysicalResourceId: physicalId });
  expect(await registered()).toEqual([]);
  expect(await act({ ...deletion, PhysicalResourceId: physicalId })).toEqual({ physicalId });
});

test("if a deployment does not answer, its stack fails with one line that names the deployment and the error code", async () => {
  const failed = act(event("Create", stage.local.adminUrl, { uri: "http://127.0.0.1:1" }));
  await expect(failed).rejects.toThrow(/^http:\/\/127\.0\.0\.1:1 is not registered: \[META0003\] [^[]{10,400}$/);
  expect(await registered()).toEqual([]);
});

test.each([
  [403, "refused this function (403): its role may lack execute-api:Invoke"],
  [500, "is not registered: the admin API answered 500"],
])("an API that answers %i fails the resource with that status", async (status, words) => {
  const api = await listen(createServer((_, response) => response.writeHead(status).end("{}")));
  onTestFinished(api.close);
  await expect(act(event("Create", api.uri, { uri }))).rejects.toThrow(words);
});

test("a refusal is passed on whole, with the command that repairs it, and an endless one is cut", async () => {
  let message = `[META0003] ${"lambda:InvokeFunction is missing. Grant it by: ".padEnd(700, "x")} end`;
  const body = () => JSON.stringify({ message, restate_code: "META0003" });
  const api = await listen(createServer((_, response) => response.writeHead(500).end(body())));
  onTestFinished(api.close);
  await expect(act(event("Create", api.uri, { uri }))).rejects.toThrow(/x end$/);
  message = message.padEnd(3_000, "!");
  // The registrar shortens a longer message before it passes the message to CloudFormation.
  await expect(act(event("Create", api.uri, { uri }))).rejects.toThrow(/^.{700,1000}$/s);
});

test("the failure names an API that does not answer", async () => {
  const gone = await listen(createServer());
  await gone.close();
  const refused = act(event("Create", gone.uri, { uri }));
  await expect(refused).rejects.toThrow(`the admin API at ${gone.uri} does not answer: connect ECONNREFUSED`);
});

test("requests are signed by the role, with their body and query", async () => {
  const arrived: SignedArrival[] = [];
  const server = createServer((incoming, outgoing) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    incoming.once("end", () => {
      arrived.push({ method: incoming.method!, url: incoming.url!, headers: incoming.headers, body });
      outgoing.writeHead(201, { "content-type": "application/json" }).end('{"id":"dp_1"}');
    });
  });
  const api = await listen(server);
  onTestFinished(api.close);
  await act(event("Create", `${api.uri}/stage`, { uri: "https://ü.example" }));
  const deletion = event("Delete", `${api.uri}/stage`, {}, { RemoveOnDelete: "true" });
  await act({ ...deletion, PhysicalResourceId: "dp_1" });
  expect(arrived.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /stage/deployments",
    "DELETE /stage/deployments/dp_1?force=true",
  ]);
  for (const one of arrived) {
    const { keyId, names, signature } = signatureOf(one);
    expect(keyId).toBe(ROLE.AWS_ACCESS_KEY_ID);
    expect(names).toEqual(expect.arrayContaining(["host", "x-amz-date", "x-amz-security-token"]));
    expect(signature).toBe(expectedSignature(one, { region: "eu-west-1", secret: ROLE.AWS_SECRET_ACCESS_KEY }));
  }
});

test("a failure names the address without its credentials", async () => {
  for (const address of ["http://ada:canary@127.0.0.1:1/x?code=canary", "http://127.0.0.1:1/x?canary#canary"]) {
    const failure: unknown = await act(event("Create", stage.local.adminUrl, { uri: address })).catch(
      (error: unknown) => error,
    );
    expect(String(failure)).toMatch(/^Error: http:\/\/127\.0\.0\.1:1\/x is not registered/);
    expect(String(failure)).not.toContain("canary");
  }
});

test("a redirect is not followed", async () => {
  const got: string[] = [];
  const elsewhere = await listen(
    createServer((request, response) => void (got.push(request.url ?? ""), response.end())),
  );
  const pointing = await listen(
    createServer(
      (_request, response) => void response.writeHead(307, { location: `${elsewhere.uri}/deployments` }).end(),
    ),
  );
  await expect(
    act(event("Create", pointing.uri, { uri, additional_headers: { authorization: "canary" } })),
  ).rejects.toThrow(/does not answer/);
  expect(got).toEqual([]);
  await Promise.all([elsewhere.close(), pointing.close()]);
});
