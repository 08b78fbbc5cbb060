/** Signed requests: a deployment made with the real SDK that wants a signature takes ours and nobody else's. */
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http2";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { RequestIdentity } from "../../../shared/adapters/system/request-identity.ts";
import { startServer } from "../../adapters/https/peer.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { openStage } from "../../errors/stage.ts";
import "../../../examples/polyfill.mjs";

const { createEndpointHandler, service } = await import("@restatedev/restate-sdk");

const greeter = service({ name: "Greeter", handlers: { greet: async () => "hello" } });
const PEM = { type: "pkcs8", format: "pem" } as const;
const KEY_FILE = "request-identity-private-key-pem-file";

let dir: string;
beforeEach(async () => {
  dir = await temporaryDirectory();
  return () => removeDirectory(dir);
});

function keyFile(name: string, text: string): string {
  const file = join(dir, name);
  writeFileSync(file, text);
  return file;
}

const freshPem = (): string => generateKeyPairSync("ed25519").privateKey.export(PEM).toString();

async function sdkWanting(publicKey: string): Promise<string> {
  const handler = createEndpointHandler({ services: [greeter], identityKeys: [publicKey], logger: () => {} });
  const peer = await startServer(createServer(handler));
  onTestFinished(() => peer.stop());
  return peer.uri;
}

test("the SDK takes what is signed with the key it was given, under a prefix too", async () => {
  const pem = freshPem();
  const uri = await sdkWanting(new RequestIdentity(pem).publicKey);
  const stage = await openStage({ [KEY_FILE]: keyFile("key.pem", pem) });
  expect(stage.log.lines).toContainEqual(
    expect.objectContaining({ fields: { publicKey: new RequestIdentity(pem).publicKey } }),
  );
  expect((await stage.register(`${uri}/some/prefix`)).status).toBe(201);
  expect(await stage.result(await stage.send("Greeter/greet"))).toBe('200 "hello"');
});

test.each([
  ["is not signed", undefined],
  ["is signed with another key", freshPem()],
])("the SDK refuses what %s, and the registration says so", async (_what, pem) => {
  const uri = await sdkWanting(new RequestIdentity(freshPem()).publicKey);
  const stage = await openStage(pem === undefined ? {} : { [KEY_FILE]: keyFile("key.pem", pem) });
  const { status, body } = await stage.register(uri);
  expect([status, body.restate_code]).toEqual([500, "META0003"]);
  expect(body.message).toMatch(/status 401/);
});

test.each([
  ["is not there", () => join(dir, "gone.pem"), /gone\.pem.*ENOENT/],
  ["holds no key", () => keyFile("text.pem", "hello"), /text\.pem/],
  [
    "holds a key of another kind",
    () => keyFile("rsa.pem", generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export(PEM).toString()),
    /rsa\.pem: the key is rsa, not ed25519/,
  ],
])("a key file that %s refuses the start", async (_what, file, reason) => {
  const refused = openStage({ [KEY_FILE]: file(), "data-dir": join(dir, "data") });
  await expect(refused).rejects.toMatchObject({ code: "RT0002", message: expect.stringMatching(reason) });
});

test("a token bears the path, a minute each way, and the key of a keyed target", () => {
  const identity = new RequestIdentity(freshPem());
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
  const [header, claims] = identity.token({ path: "/invoke/Cart/add", key: "ä/1" }, 1_000_999).split(".");
  expect(read(header!)).toEqual({ typ: "JWT", alg: "EdDSA", kid: identity.publicKey });
  expect(read(claims!)).toEqual({ aud: "/invoke/Cart/add", iat: 1000, nbf: 940, exp: 1060, sub: "ä/1" });
});
