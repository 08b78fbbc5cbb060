/** Tests refused registrations: the admin API of a running process answers with the code that fits. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { ErrorCode } from "../../shared/core/errors/error-table.ts";
import { startPeer } from "../harness/https/peer.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { GREETER, startFrameDeployment } from "./frame-deployment.ts";
import { expectRefusal } from "./refusal.ts";
import { openStage } from "./stage.ts";
import { fetch } from "../harness/local/admin-access.ts";

const MANIFEST = "application/vnd.restate.endpointmanifest.v4+json";
const GOODBYE = { name: "greet" };

async function peerAnswering(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<string> {
  const peer = await startPeer("h2 in the clear", (request, response) => answer(response, request));
  onTestFinished(() => peer.stop());
  return peer.uri;
}

const manifest =
  (body: string, contentType = MANIFEST) =>
  (response: ServerResponse) =>
    response.writeHead(200, { "content-type": contentType }).end(body);
const offering = (min: number, max: number): string =>
  JSON.stringify(manifestOf([GREETER], { minProtocolVersion: min, maxProtocolVersion: max }));

test.each<[what: string, code: ErrorCode, reason: RegExp, answer: (response: ServerResponse) => unknown]>([
  ["answers 404", "META0003", /status 404/, (response) => response.writeHead(404).end()],
  [
    "answers 500, also when asked again",
    "META0003",
    /status 500.*out of order/,
    (r) => r.writeHead(500).end("out of order"),
  ],
  ["breaks off", "META0003", /error when calling/, (response) => response.destroy()],
  [
    "has a reserved name",
    "META0005",
    /'restateGreeter'/,
    manifest(JSON.stringify(manifestOf([{ ...GREETER, name: "restateGreeter" }]))),
  ],
  [
    "is called openapi",
    "META0005",
    /'openapi'/,
    manifest(JSON.stringify(manifestOf([{ ...GREETER, name: "openapi" }]))),
  ],
  [
    "speaks older versions only",
    "META0012",
    /speaks versions 1 to 4, and this server speaks 5 to 7/,
    manifest(offering(1, 4)),
  ],
  ["speaks newer versions only", "META0012", /speaks versions 8 to 9/, manifest(offering(8, 9))],
  ["sends a content type that is not a manifest's", "META0013", /'text\/html'/, manifest("<p>", "text/html")],
  ["sends no content type", "META0013", /no content type/, (response) => response.writeHead(200).end("{}")],
  ["sends no JSON", "META0013", /cannot be decoded/, manifest("{")],
  ["names no protocol mode", "META0013", /protocolMode is missing/, manifest('{"services":[]}')],
  ["has its versions the wrong way round", "META0013", /6 is above .* 5/, manifest(offering(6, 5))],
  [
    "sends a manifest of 5 MB",
    "META0013",
    /larger than 4194304 bytes/,
    (response) => {
      response.writeHead(200, { "content-type": MANIFEST });
      response.end(Buffer.alloc(5_000_000, 32));
    },
  ],
])("a deployment that %s is refused with %s", async (_what, code, reason, answer) => {
  const stage = await openStage();
  expectRefusal(await stage.register(await peerAnswering(answer)), code, reason);
  const listed = await fetch(`${stage.local.adminUrl}deployments`);
  expect(await listed.json()).toEqual({ deployments: [] });
});

test("an address without a listener or with an unknown host is META0003", async () => {
  const stage = await openStage();
  const deployment = await startFrameDeployment();
  await deployment.stop();
  expectRefusal(await stage.register(deployment.uri), "META0003", /ECONNREFUSED/);
  // A label of 64 characters is invalid, so no name server is asked.
  const nowhere = `${"n".repeat(64)}.invalid`;
  expectRefusal(await stage.register(`http://${nowhere}:9080`), "META0003", new RegExp(nowhere));
  // The message has the port also where the address omits it.
  expectRefusal(await stage.register(`https://${nowhere}/`), "META0003", /port 443.*ENOTFOUND/);
});

test("a deployment that requires a token is META0003, until additional_headers contain the token", async () => {
  const stage = await openStage();
  const uri = await peerAnswering((response, request) => {
    if (request.headers.authorization === "Bearer x") manifest(JSON.stringify(manifestOf([GREETER])))(response);
    else response.writeHead(401).end("unauthorized");
  });
  expectRefusal(await stage.register(uri), "META0003", /status 401.*unauthorized/);
  expect((await stage.register(uri, { additional_headers: { authorization: "Bearer x" } })).status).toBe(201);
});

test("a registered address is refused with META0004 in any spelling, and force replaces the registration", async () => {
  const stage = await openStage();
  const deployment = await startFrameDeployment();
  const { body: first } = await stage.register(deployment.uri);
  const found = new RegExp(String(first["id"]));
  for (const path of ["deployments", "v2/deployments", "v3/deployments", "v4/deployments"]) {
    expectRefusal(await stage.register(deployment.uri, { force: false }, path), "META0004", found);
  }
  expectRefusal(await stage.register(`${deployment.uri.replace("http:", "https:")}/`), "META0004", found);
  const { status, body } = await stage.register(deployment.uri, { force: true });
  expect([status, body["id"]]).toEqual([200, first["id"]]);
});

test("META0004 shows the request that replaces the deployment, and that request succeeds", async () => {
  const stage = await openStage();
  const deployment = await startFrameDeployment();
  const { body: first } = await stage.register(deployment.uri);
  const { body: refused } = await stage.register(deployment.uri);
  const [, line = ""] = /POST \/deployments (\{.*\})/.exec(String(refused["message"])) ?? [];
  const { uri, force } = JSON.parse(line) as { uri: string; force: boolean };
  const { status, body } = await stage.register(uri, { force });
  expect([status, body["id"]]).toEqual([200, first["id"]]);
});

test.each([
  [
    "changes its type",
    { ...GREETER, ty: "VIRTUAL_OBJECT", handlers: [{ name: "greet", ty: "EXCLUSIVE" }] },
    /from service to object/,
  ],
  ["loses a handler", { ...GREETER, handlers: [{ name: "wave" }] }, /would lose handlers of revision 1: greet/],
])("a new revision that %s is META0006, unless breaking changes are allowed", async (_what, changed, reason) => {
  const stage = await openStage();
  const [first, second] = [await startFrameDeployment(), await startFrameDeployment()];
  first.manifest = manifestOf([{ ...GREETER, handlers: [GOODBYE, ...GREETER.handlers.slice(1)] }]);
  expect((await stage.register(first.uri)).status).toBe(201);
  second.manifest = manifestOf([changed]);
  expectRefusal(await stage.register(second.uri), "META0006", reason);
  expect((await stage.register(second.uri, { breaking: true })).status).toBe(201);
});

test("a deployment that speaks HTTP/1.1 only is META0014, unless its registration says so", async () => {
  const stage = await openStage();
  const deployment = await startFrameDeployment(undefined, "http1.1 in the clear");
  expectRefusal(await stage.register(deployment.uri), "META0014", /--use-http1\.1/);
  expect((await stage.register(deployment.uri, { use_http_11: true })).status).toBe(201);
});
