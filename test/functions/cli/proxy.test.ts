/** Tests the signing proxy: each request reaches the API with a valid signature, or the proxy refuses the request. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { signingProxy } from "../../../functions/cli/signing-proxy.ts";
import { listen } from "../../harness/local/local-stage.ts";
import type { Listening } from "../../harness/local/local-stage.ts";
import { expectedSignature, signatureOf } from "../../harness/cli/expected-signature.ts";
import type { SignedArrival } from "../../harness/cli/expected-signature.ts";
import { buildCommand } from "../../harness/cli/built-command.ts";
import type { BuiltCommand } from "../../harness/cli/built-command.ts";

const KEY_ID = "AKIDEXAMPLE";
const SECRET = "an example of a secret";
const REGION = "eu-central-1";

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
  const env = { PATH: process.env["PATH"], AWS_ACCESS_KEY_ID: KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET };
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
  const headers = { "content-type": "application/json", authorization: "Bearer of somebody else" };
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
function statusOf(headers: Readonly<Record<string, string>>, url = proxyUrl, path = "/"): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, path }, (answer) => resolve(answer.resume().statusCode!));
    asked.once("error", reject).end();
  });
}

it("a page of another origin, or of a host name that points at this machine, gets nothing signed", async () => {
  arrived = [];
  expect(await statusOf({ origin: "https://stranger.example" })).toBe(403);
  expect(await statusOf({ host: "rebound.example:80" })).toBe(403);
  expect(arrived).toEqual([]);
  expect(await statusOf({ origin: proxyUrl.slice(0, -1) })).toBe(418);
});

it.each(["//stranger.example/a", "/.//stranger.example/a", "/b/..//stranger.example/a"])(
  "%s is a path of the API, and no address of another host",
  async (path) => {
    arrived = [];
    vi.stubEnv("AWS_ACCESS_KEY_ID", KEY_ID).stubEnv("AWS_SECRET_ACCESS_KEY", SECRET);
    const options = { target: new URL(api.uri), region: REGION, service: "execute-api", onAnswer: () => undefined };
    const atRoot = await listen(signingProxy(options));
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await atRoot.close();
    });
    expect(await statusOf({}, `${atRoot.uri}/`, path)).toBe(418);
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
