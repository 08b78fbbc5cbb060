/** The admin API through the local port of `stepwell proxy`, with the rights of the user whose keys the proxy has. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { localAddress } from "../../localstack/signed-request.mjs";
import { newSecret } from "../../functions/door/secrets.ts";
import { fetch, knowAdmin } from "../harness/local/admin-access.ts";
import { listen } from "../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand } from "../harness/cli/built-command.ts";
import { expectedSignature, signatureOf, type SignedArrival } from "../harness/cli/expected-signature.ts";
import { aws } from "./control-plane.ts";
import { createUser, invoking } from "./identities.ts";
import type { Identity } from "./signed-by.ts";

const api = aws.plain.admin;

let command: BuiltCommand;
let operator: Identity;
let reader: Identity;
let withoutRights: Identity;
beforeAll(async () => {
  command = await buildCommand();
  operator = await createUser(invoking(api, "*"));
  reader = await createUser(invoking(api, "*/GET/*"));
  withoutRights = await createUser([]);
  return () => command.remove();
});

/**
 * Runs the proxy until the end of the test.
 * @returns the address of the local port
 */
async function proxyOf({ accessKeyId, secretAccessKey }: Identity, to: string): Promise<string> {
  const token = newSecret();
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  const env = { PATH: process.env["PATH"], ...keys, STEPWELL_AUTH_TOKEN: token };
  const args = [command.path, "proxy", "--to", to, "--port", "0", "--region", "us-east-1"];
  const proxy = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(async () => {
    const ended = once(proxy, "exit");
    proxy.kill("SIGTERM");
    await ended;
  });
  const [line] = (await once(proxy.stdout.setEncoding("utf8"), "data")) as [string];
  const url = line.split(" ", 1)[0]!;
  knowAdmin(url, token);
  return url.replace(/\/$/, "");
}

/** The address in the form that `npm run localstack` prints. */
const adminUrl = localAddress(aws.plain.outputs["AdminUrl"]!, aws.endpoint);
const question = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"query":"SELECT name FROM sys_service"}',
};

test("the local port has exactly the rights of the user whose keys it has", async () => {
  const [mayAll, mayRead, mayNothing] = await Promise.all(
    [operator, reader, withoutRights].map((identity) => proxyOf(identity, adminUrl)),
  );
  expect((await fetch(`${mayAll}/query`, question)).status).toBe(200);
  expect((await fetch(`${mayAll}/invocations?status=paused&limit=5`)).status).toBe(200);
  expect((await fetch(`${mayRead}/services`)).status).toBe(200);
  expect((await fetch(`${mayRead}/query`, question)).status).toBe(403);
  expect((await fetch(`${mayRead}/deployments/no-such-id`, { method: "DELETE" })).status).toBe(403);
  expect((await fetch(`${mayNothing}/services`)).status).toBe(403);
});

test("the command works through the local port and explains a refusal by IAM", async () => {
  const ask = async (identity: Identity, ...args: readonly string[]) =>
    await command.run([...args, "--admin-url", await proxyOf(identity, adminUrl)]);
  expect(await ask(reader, "services", "list")).toMatchObject({ code: 0 });
  const refused = await ask(withoutRights, "services", "list");
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("403 to GET /services");
  expect(refused.stderr).toContain("execute-api:Invoke");
  const mayOnlyRead = await ask(reader, "deployments", "register", "http://127.0.0.1:1", "--yes");
  expect(mayOnlyRead).toMatchObject({ code: 1 });
  expect(mayOnlyRead.stderr).toContain("403 to POST /deployments");
});

test("the signature of the local port equals one that is computed independently", async () => {
  const arrived: SignedArrival[] = [];
  const server = createServer((incoming, outgoing) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    incoming.once("end", () => {
      arrived.push({ method: incoming.method!, url: incoming.url!, headers: incoming.headers, body });
      outgoing.end("{}");
    });
  });
  const judge = await listen(server);
  onTestFinished(judge.close);
  await fetch(`${await proxyOf(operator, judge.uri)}/query?a=1`, question);
  const [got] = arrived;
  const { keyId, signature } = signatureOf(got!);
  expect(keyId).toBe(operator.accessKeyId);
  expect(signature).toBe(expectedSignature(got!, { region: "us-east-1", secret: operator.secretAccessKey }));
});
