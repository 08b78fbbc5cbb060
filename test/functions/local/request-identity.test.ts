/** Signed requests: a deployment made with the real SDK accepts Stepwell's signature and no other. */
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http2";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { RequestIdentity } from "../../../shared/adapters/system/request-identity.ts";
import { startServer } from "../../harness/https/peer.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { askHttp2 } from "../../harness/local/raw-http.ts";
import { openStage } from "../../errors/stage.ts";
import "../../../examples/polyfill.mjs";
import { fetch } from "../../harness/local/admin-access.ts";

const { createEndpointHandler, handlers, service } = await import("@restatedev/restate-sdk");

const shown = {
  contentType: "application/json",
  serialize: (value: unknown) => new TextEncoder().encode(JSON.stringify(value)),
  deserialize: (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as unknown,
  preview: {
    toJsonString: (value: unknown) => JSON.stringify(value),
    fromJsonString: (text: string) => JSON.parse(text) as unknown,
  },
};
const echo = handlers.handler({ input: shown }, async (_ctx: unknown, value: unknown) => value);
const greeter = service({ name: "Greeter", handlers: { greet: async () => "hello", echo } });
const PEM = { type: "pkcs8", format: "pem" } as const;
const DISCOVERY = "application/vnd.restate.endpointmanifest.v3+json";
const KEY_FILE = "request-identity-private-key-pem-file";

let dir: string;
beforeEach(async () => {
  dir = await temporaryDirectory();
  // These run after what a hook returns, and the last one first: what the test started in the directory ends before.
  onTestFinished(() => removeDirectory(dir));
});

function keyFile(name: string, text: string): string {
  const file = join(dir, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

const freshPem = (): string => generateKeyPairSync("ed25519").privateKey.export(PEM).toString();

async function sdkWanting(...identityKeys: string[]): Promise<string> {
  const handler = createEndpointHandler({ services: [greeter], identityKeys, logger: () => {} });
  const peer = await startServer(createServer(handler));
  onTestFinished(() => peer.stop());
  return peer.uri;
}

test("the SDK accepts requests signed with its configured key, also under a path prefix", async () => {
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
])(
  "the SDK refuses a request that %s, and the error of the registration names the SDK's status",
  async (_what, pem) => {
    const uri = await sdkWanting(new RequestIdentity(freshPem()).publicKey);
    const stage = await openStage(pem === undefined ? {} : { [KEY_FILE]: keyFile("key.pem", pem) });
    const { status, body } = await stage.register(uri);
    expect([status, body.restate_code]).toEqual([500, "META0003"]);
    expect(body.message).toMatch(/status 401/);
  },
);

test.each([
  ["is not there", () => join(dir, "gone.pem"), /gone\.pem.*ENOENT/],
  ["holds no key", () => keyFile("text.pem", "hello"), /text\.pem/],
  [
    "holds a key of another kind",
    () => keyFile("rsa.pem", generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export(PEM).toString()),
    /rsa\.pem: the key is rsa, not ed25519/,
  ],
])("the process does not start with a key file that %s", async (_what, file, reason) => {
  const refused = openStage({ [KEY_FILE]: file(), "data-dir": join(dir, "data") });
  await expect(refused).rejects.toMatchObject({ code: "RT0002", message: expect.stringMatching(reason) });
});

test("a token has the path, is valid for a minute before and after its moment, and has the key of a keyed target", () => {
  const identity = new RequestIdentity(freshPem());
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
  const [header, claims] = identity.token({ path: "/invoke/Cart/add", key: "ä/1" }, 1_000_999).split(".");
  expect(read(header!)).toEqual({ typ: "JWT", alg: "EdDSA", kid: identity.publicKey });
  expect(read(claims!)).toEqual({ aud: "/invoke/Cart/add", iat: 1000, nbf: 940, exp: 1060, sub: "ä/1" });
});

/** Sends a request with the token, as an attacker who has obtained the token would. @returns the status of the answer */
async function statusFor(uri: string, path: string, token: string): Promise<number> {
  const headers = { ":path": path, "x-restate-signature-scheme": "v1", "x-restate-jwt-v1": token };
  const { headers: answer } = await askHttp2(uri, { ...headers, accept: DISCOVERY });
  return Number(answer[":status"]);
}

test("a token is valid for its own path and moment alone", async () => {
  const identity = new RequestIdentity(freshPem());
  const uri = await sdkWanting(identity.publicKey);
  const status = (path: string, secondsAgo: number, sent = "/discover") =>
    statusFor(uri, sent, identity.token({ path }, Date.now() - 1_000 * secondsAgo));
  expect(await status("/discover", 0)).toBe(200);
  for (const path of ["/invoke/Greeter/greet", "/", "", "/discover/", "/DISCOVER", "*"]) {
    expect([path, await status(path, 0)]).toEqual([path, 401]);
  }
  expect(await status("/discover", 0, "/invoke/Greeter/greet")).toBe(401);
  for (const skewS of [-55, -30, 30, 55]) expect([skewS, await status("/discover", skewS)]).toEqual([skewS, 200]);
  for (const skewS of [-3600, -120, 120, 3600]) expect([skewS, await status("/discover", skewS)]).toEqual([skewS, 401]);
});

test("a token that was changed, is unsigned, or was signed by another key is refused", async () => {
  const [identity, other] = [new RequestIdentity(freshPem()), new RequestIdentity(freshPem())];
  const uri = await sdkWanting(identity.publicKey);
  const [header = "", claims = "", signature = ""] = identity.token({ path: "/discover" }, Date.now()).split(".");
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const later = part({ aud: "/discover", nbf: 0, exp: 9_999_999_999 });
  const [, , foreign = ""] = other.token({ path: "/discover" }, Date.now()).split(".");
  const forged = [
    `${header}.${later}.${signature}`,
    `${header}.${claims}.${foreign}`,
    `${header}.${claims}.`,
    `${part({ typ: "JWT", alg: "none", kid: identity.publicKey })}.${claims}.`,
    `${part({ typ: "JWT", alg: "HS256", kid: identity.publicKey })}.${claims}.${signature}`,
    `${part({ typ: "JWT", alg: "EdDSA", kid: other.publicKey })}.${claims}.${foreign}`,
  ];
  expect(await statusFor(uri, "/discover", `${header}.${claims}.${signature}`)).toBe(200);
  for (const token of forged) expect([token, await statusFor(uri, "/discover", token)]).toEqual([token, 401]);
});

test("a token names no host: every deployment that trusts the key accepts it, as the protocol defines", async () => {
  const identity = new RequestIdentity(freshPem());
  const [first, second, other] = await Promise.all(
    [identity, identity, new RequestIdentity(freshPem())].map(({ publicKey }) => sdkWanting(publicKey)),
  );
  const token = identity.token({ path: "/discover" }, Date.now());
  const statuses = [first, second, other].map((uri) => statusFor(uri!, "/discover", token));
  expect(await Promise.all(statuses)).toEqual([200, 200, 401]);
});

test("the request for the preview of a serializer is signed too", async () => {
  const pem = freshPem();
  const uri = await sdkWanting(new RequestIdentity(pem).publicKey);
  const stage = await openStage({ [KEY_FILE]: keyFile("key.pem", pem) });
  expect((await stage.register(uri)).status).toBe(201);
  const url = `${stage.local.adminUrl}internal/services/Greeter/serdes/decode/echo%2Finput`;
  const response = await fetch(url, { method: "POST", headers: { "x-requested-with": "test" }, body: '{"a":1}' });
  expect([response.status, await response.text()]).toEqual([200, '{"a":1}']);
});

test("keys are rotated without a refused request: a deployment that trusts two keys accepts both", async () => {
  const [before, after] = [freshPem(), freshPem()];
  const uri = await sdkWanting(...[before, after].map((pem) => new RequestIdentity(pem).publicKey));
  const data = { "data-dir": join(dir, "data") };
  for (const [name, pem] of [
    ["before.pem", before],
    ["after.pem", after],
  ] as const) {
    const stage = await openStage({ ...data, [KEY_FILE]: keyFile(name, pem) });
    expect((await stage.register(uri, { force: true })).status).toBeLessThan(300);
    expect(await stage.result(await stage.send("Greeter/greet"))).toBe('200 "hello"');
    await stage.local.stop();
  }
});

test.skipIf(process.platform === "win32")(
  "a warning names a key file that every user of the machine may read",
  async () => {
    const pem = freshPem();
    const file = keyFile("key.pem", pem);
    const warned = async () =>
      (await openStage({ [KEY_FILE]: file })).log.lines
        .filter(({ level }) => level === "warn")
        .map(({ fields }) => fields);
    expect(await warned()).toEqual([]);
    chmodSync(file, 0o644);
    expect(await warned()).toEqual([{ file }]);
  },
);
