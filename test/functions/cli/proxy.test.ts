/** Tests the signing proxy: each request reaches the API with a valid signature, or the proxy refuses the request. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { signingProxy } from "../../../functions/cli/http/signing-proxy.ts";
import { listen, type Listening } from "../../harness/local/local-stage.ts";
import { expectedSignature, signatureOf, type SignedArrival } from "../../harness/cli/expected-signature.ts";
import { PAGE_REQUESTS } from "../../harness/browser/page-requests.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";

const KEY_ID = "AKIDEXAMPLE";
const SECRET = "an example of a secret";
const REGION = "eu-central-1";
const TOKEN = "the-token-of-this-proxy-of-32-letters";
const ACCESS = { authorization: `Bearer ${TOKEN}` };

let command: BuiltCommand;
let api: Listening;
let proxy: ChildProcess;
let proxyUrl: string;
let arrived: SignedArrival[] = [];

beforeAll(async () => {
  const server = createServer((incoming, outgoing) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    incoming.once("end", () => {
      arrived.push({ method: incoming.method!, url: incoming.url!, headers: incoming.headers, body });
      outgoing.writeHead(418, { "content-type": "application/json", "x-kept": "yes" }).end('{"answer":1}');
    });
  });
  [command, api] = await Promise.all([buildCommand(), listen(server)]);
  const keys = { AWS_ACCESS_KEY_ID: KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET };
  const env = { PATH: process.env["PATH"], ...keys, STEPWELL_AUTH_TOKEN: TOKEN };
  const args = [command.path, "proxy", "--to", `${api.uri}/stage`, "--port", "0", "--region", REGION];
  proxy = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = (await once(proxy.stdout!.setEncoding("utf8"), "data")) as [string];
  proxyUrl = line.split(" ", 1)[0]!;
});

afterAll(async () => {
  const ended = once(proxy, "exit");
  proxy.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await Promise.all([api.close(), command.remove()]);
});

it("each request arrives signed, with its query and body, and the answer is passed on unchanged", async () => {
  arrived = [];
  const headers = { "content-type": "application/json", ...ACCESS };
  const response = await fetch(`${proxyUrl}services/a%2Fb?b=2&a=1%20x`, {
    method: "PATCH",
    headers,
    body: '{"x":"ü"}',
  });
  expect(response.status).toBe(418);
  expect(response.headers.get("x-kept")).toBe("yes");
  expect(await response.json()).toEqual({ answer: 1 });
  const [got] = arrived;
  expect(got).toMatchObject({ method: "PATCH", url: "/stage/services/a%2Fb?b=2&a=1%20x", body: '{"x":"ü"}' });
  const { keyId, names, signature } = signatureOf(got!);
  expect(keyId).toBe(KEY_ID);
  expect(names).toEqual(expect.arrayContaining(["host", "x-amz-date"]));
  expect(signature).toBe(expectedSignature(got!, { region: REGION, secret: SECRET }));
});

/** Sends headers and paths that `fetch` does not allow. */
function statusOf(
  headers: Readonly<Record<string, string>>,
  url = proxyUrl,
  path = "/",
  method = "GET",
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, path, method }, (answer) => resolve(answer.resume().statusCode!));
    asked.once("error", reject).end();
  });
}

it("a page of another origin, or of a host name that points at this machine, gets nothing signed", async () => {
  arrived = [];
  expect(await statusOf({ ...ACCESS, origin: "https://stranger.example" })).toBe(403);
  expect(await statusOf({ ...ACCESS, host: "rebound.example:80" })).toBe(403);
  expect(arrived).toEqual([]);
  expect(await statusOf({ ...ACCESS, origin: proxyUrl.slice(0, -1) })).toBe(418);
});

it.each(PAGE_REQUESTS)("$what of another page gets nothing signed, with the token and without", async ({ headers }) => {
  arrived = [];
  const { method = "GET", ...fields } = headers as Record<string, string>;
  for (const access of [{}, ACCESS]) {
    for (const path of ["/greeter/greet/send", "/ui/", "/ui/main-X.js", "/-/session", "/health"])
      expect([path, await statusOf({ ...fields, ...access }, proxyUrl, path, method)]).toEqual([path, 403]);
  }
  expect(arrived).toEqual([]);
});

it("another user of the machine, whose programs have no token, gets nothing signed", async () => {
  arrived = [];
  const guesses = [
    {},
    { authorization: "" },
    { authorization: "Bearer " },
    { authorization: `Bearer ${TOKEN}x` },
    { authorization: TOKEN },
    { authorization: `Basic ${Buffer.from(`${TOKEN}:`).toString("base64")}` },
    { cookie: `stepwell-session-${new URL(proxyUrl).port}=${TOKEN}` },
    { "sec-fetch-site": "same-origin", "x-stepwell-page-key": TOKEN },
  ];
  for (const headers of guesses) {
    for (const path of ["/", "/health", "/ui/", "/greeter/greet"])
      expect([headers, await statusOf(headers, proxyUrl, path)]).toEqual([headers, 401]);
  }
  expect(arrived).toEqual([]);
});

it("an address with the token suits a client that takes a user and a password", async () => {
  arrived = [];
  const basic = Buffer.from(`proxy:${TOKEN}`).toString("base64");
  expect(await statusOf({ authorization: `Basic ${basic}` })).toBe(418);
  const withToken = proxyUrl.replace("//", `//proxy:${TOKEN}@`);
  const ran = await command.run(["services", "list"], { env: { STEPWELL_ADMIN_URL: withToken } });
  expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
  expect(arrived.map(({ url }) => url)).toEqual(["/stage/", "/stage/services"]);
});

it("without a token of the environment, the proxy makes one and tells its user how to send it", async () => {
  const env = { PATH: process.env["PATH"], AWS_ACCESS_KEY_ID: KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET };
  const args = [command.path, "proxy", "--to", api.uri, "--port", "0", "--region", REGION];
  const other = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void other.kill("SIGKILL"));
  let told = "";
  other.stderr.setEncoding("utf8").on("data", (text: string) => (told += text));
  const [line] = (await once(other.stdout.setEncoding("utf8"), "data")) as [string];
  await vi.waitUntil(() => told.includes("web UI"));
  const [, url = "", token = ""] = /STEPWELL_ADMIN_URL=(\S+) STEPWELL_AUTH_TOKEN=([\w-]{43})/.exec(told) ?? [];
  expect(line).toMatch(url);
  expect(await statusOf({}, url)).toBe(401);
  expect(await statusOf({ authorization: `Bearer ${token}` }, url)).toBe(418);
});

it("a token that can be guessed is refused at the start", async () => {
  const args = ["proxy", "--to", api.uri, "--port", "0", "--region", REGION];
  const ran = await command.run(args, { env: { STEPWELL_AUTH_TOKEN: "secret" } });
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain("32 to 512 letters");
});

it("a browser signs in by a code: its page files need the cookie, and everything else the key too", async () => {
  arrived = [];
  const at = { host: new URL(proxyUrl).host };
  const made = await fetch(`${proxyUrl}-/sign-in-codes`, { method: "POST", headers: ACCESS });
  const { code } = (await made.json()) as { code: string };
  const page = await fetch(`${proxyUrl}-/sign-in?code=${code}`);
  const cookie = page.headers.get("set-cookie")!.split(";", 1)[0]!;
  const [, key = ""] = /#key=([\w-]{43})/.exec(await page.text()) ?? [];
  const own = { ...at, "sec-fetch-site": "same-origin" };
  expect(await statusOf({ ...own, cookie }, proxyUrl, "/ui/")).toBe(418);
  expect(await statusOf({ ...own, cookie }, proxyUrl, "/ui/main-ABC.js")).toBe(418);
  expect(await statusOf({ ...own, cookie }, proxyUrl, "/ui/handler")).toBe(401);
  expect(await statusOf({ ...own, cookie }, proxyUrl, "/services")).toBe(401);
  expect(await statusOf({ ...own, cookie, "x-stepwell-page-key": key }, proxyUrl, "/services")).toBe(418);
  expect(arrived.map(({ url, headers }) => [url, headers.cookie, headers["x-stepwell-page-key"]])).toEqual(
    ["/ui/", "/ui/main-ABC.js", "/services"].map((path) => [`/stage${path}`, undefined, undefined]),
  );
});

it("an API that cannot be reached is reported as that, and not as a wrong address of the proxy", async () => {
  const env = { PATH: process.env["PATH"], AWS_ACCESS_KEY_ID: KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET };
  const gone = await listen(createServer());
  await gone.close();
  const args = [command.path, "proxy", "--to", gone.uri, "--port", "0", "--region", REGION];
  const other = spawn(process.execPath, args, {
    env: { ...env, STEPWELL_AUTH_TOKEN: TOKEN },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void other.kill("SIGKILL"));
  const [line] = (await once(other.stdout.setEncoding("utf8"), "data")) as [string];
  const url = line.split(" ", 1)[0]!.replace("//", `//proxy:${TOKEN}@`);
  for (const asked of [
    ["call", "greeter/greet", "--ingress-url", url],
    ["services", "list", "--admin-url", url],
  ]) {
    const ran = await command.run(asked);
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(ran.stderr).toContain("reaches no server");
    expect(ran.stderr).toContain(new URL(gone.uri).host);
    expect(ran.stderr).toContain("--to");
    expect(ran.stderr).not.toMatch(/is not an (ingress|admin API)/);
  }
});

it("a missing token is reported as that, also for a call", async () => {
  const ran = await command.run(["call", "greeter/greet", "--ingress-url", proxyUrl]);
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toContain("META0018");
});

it.each(["//stranger.example/a", "/.//stranger.example/a", "/b/..//stranger.example/a"])(
  "%s is a path of the API, and no address of another host",
  async (path) => {
    arrived = [];
    vi.stubEnv("AWS_ACCESS_KEY_ID", KEY_ID).stubEnv("AWS_SECRET_ACCESS_KEY", SECRET);
    const target = { target: new URL(api.uri), region: REGION, service: "execute-api" };
    const atRoot = await listen(signingProxy({ ...target, token: TOKEN, onAnswer: () => undefined }));
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await atRoot.close();
    });
    expect(await statusOf(ACCESS, `${atRoot.uri}/`, path)).toBe(418);
    expect(arrived.map(({ url, headers }) => [url, headers.host])).toEqual([
      ["//stranger.example/a", new URL(api.uri).host],
    ]);
  },
);

it("a refusal by IAM is explained with the proxy and the permission", async () => {
  const forbidding = await listen(
    createServer((_, outgoing) =>
      outgoing.writeHead(403, { "content-type": "application/json" }).end('{"message":"Forbidden"}'),
    ),
  );
  onTestFinished(forbidding.close);
  const ran = await command.run(["deployments", "list", "--admin-url", forbidding.uri]);
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toContain("403 to GET /deployments");
  expect(ran.stderr.replaceAll(/\s+/g, " ")).toMatch(/through `stepwell proxy`, .*execute-api:Invoke/);
});

it("the command refuses to start if it cannot determine the region of the API", async () => {
  const ran = await command.run(["proxy", "--to", "https://api.example", "--port", "0"]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain("--region");
});
