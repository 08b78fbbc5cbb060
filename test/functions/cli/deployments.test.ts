/** The output of `stepwell deployments` and `stepwell services` for people, scripts and programs. */
import { createServer as createHttp1Server } from "node:http";
import { createServer } from "node:http2";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { listen, openLocalStage, type Listening, type LocalStage } from "../../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { scribe } from "../../harness/cli/transcript.ts";
import { fetch } from "../../harness/local/admin-access.ts";

const hello = async (_ctx: Context, name: string): Promise<string> => `Hello, ${name}!`;
const greeter = service({ name: "Greeter", handlers: { greet: hello, shout: hello } });
const grown = service({ name: "Greeter", handlers: { greet: hello, shout: hello, whisper: hello } });

/** Longer than a command waits before it shows progress. */
const SLOW_MS = 1_000;

let command: BuiltCommand;
let stage: LocalStage;
let first: Listening;
let second: Listening;
let env: Readonly<Record<string, string>>;

const serve = (one: typeof greeter): Promise<Listening> =>
  listen(createServer(createEndpointHandler({ services: [one], logger: () => {} })));

beforeAll(async () => {
  [command, stage, first, second] = await Promise.all([
    buildCommand(),
    openLocalStage({}),
    serve(greeter),
    serve(grown as typeof greeter),
  ]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri, STEPWELL_INGRESS_URL: stage.ingressUri };
});

afterAll(async () => {
  await Promise.all([command.remove(), first.close(), second.close()]);
  await stage.close();
});

const deployments = async (): Promise<readonly unknown[]> => {
  const response = await fetch(`${stage.adminUri}/deployments`);
  return ((await response.json()) as { deployments: unknown[] }).deployments;
};

it("without a terminal and without --yes nothing is registered", async () => {
  const script = scribe(command, env);
  expect(await script.run(`deployments register ${first.uri}`)).toBe(4);
  expect(await script.run(`deployments register ${first.uri} --json`)).toBe(4);
  expect(await script.run(`deployments register ${first.uri} --dry-run`)).toBe(0);
  expect(await deployments()).toEqual([]);
  await expect(script.text).toMatchFileSnapshot("transcripts/register-unconfirmed.txt");
});

it("without a confirmation nothing changes, and with one the deployment is registered", async () => {
  const script = scribe(command, env);
  const question = "Register this deployment?";
  expect(await script.run(`deployments register ${first.uri}`, { typed: { after: question, keys: "n\r" } })).toBe(4);
  expect(await script.run(`deployments register ${first.uri}`, { typed: { after: question, keys: "\u0003" } })).toBe(4);
  expect(await deployments()).toEqual([]);
  expect(await script.run(`deployments register ${first.uri}`, { typed: { after: question, keys: "y\r" } })).toBe(0);
  expect(await deployments()).toHaveLength(1);
  await expect(script.text).toMatchFileSnapshot("transcripts/register-at-terminal.txt");
});

it("a deployment is registered once, and again only with --force", async () => {
  const script = scribe(command, env);
  expect(await script.run(`deployments register ${first.uri} --yes`)).toBe(1);
  expect(await script.run(`deployments register ${first.uri} --yes --json`)).toBe(1);
  expect(await script.run(`dp add ${first.uri} --yes --force`)).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/register-again.txt");
});

it("a second deployment of a service shows what changes", async () => {
  const script = scribe(command, env);
  const headers = "--header authorization=secret --metadata commit=abc";
  expect(await script.run(`deployments register ${second.uri} --yes ${headers}`)).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/register-update.txt");
});

it("an update shows what changes, and moves to another host only if it says which headers that host gets", async () => {
  const script = scribe(command, env);
  const third = await serve(grown as typeof greeter);
  onTestFinished(third.close);
  const before = (await deployments()) as readonly { readonly id: string; readonly uri: string }[];
  const { id } = before.find(({ uri }) => uri.startsWith(second.uri))!;
  const to = (uri: string): string => `deployments update ${id} --address ${uri}`;
  expect(await script.run(`${to(third.uri)} --yes`)).toBe(1);
  expect(await script.run(`${to(third.uri)} --no-headers --dry-run`)).toBe(0);
  expect(await script.run(`${to(third.uri)} --header x-key=secret`)).toBe(4);
  expect(await deployments()).toEqual(before);
  expect(await script.run(`${to(third.uri)} --header x-key=secret --header x-more=secret --yes`)).toBe(0);
  const { stdout } = await command.run([...to(second.uri).split(" "), "--no-headers", "--yes", "--json"], { env });
  expect(JSON.parse(stdout)).toMatchObject({ id, uri: `${second.uri}/` });
  expect(stdout).not.toContain("additional_headers");
  expect(await script.run(`deployments update ${id} --header authorization=secret --yes`)).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/update.txt");
});

it("a slow command shows its progress at a terminal, and prints none elsewhere", async () => {
  const slow = createServer((_request, response) => void setTimeout(() => response.writeHead(404).end(), SLOW_MS));
  const server = await listen(slow);
  const register = ["deployments", "register", server.uri, "--yes"];
  const [seen, piped] = await Promise.all([
    command.run(register, { env, terminal: true }),
    command.run(register, { env }),
  ]);
  const late = await listen(
    createHttp1Server((_request, response) => void setTimeout(() => response.end("{}"), SLOW_MS)),
  );
  const asked = await command.run(["dp", "get", "dp_1", "--admin-url", late.uri, "--json"], { terminal: true });
  await late.close();
  expect(asked.code).toBe(0);
  expect(asked.stdout).toContain("Waiting for the server …");
  expect(seen.stdout).toContain("Discovering …");
  expect(piped.stdout + piped.stderr).not.toContain("Discovering");
  expect([seen.code, piped.code]).toEqual([1, 1]);
  await server.close();
});

it("lists and descriptions show people and programs the same deployments and services, but no header's value", async () => {
  const script = scribe(command, env);
  expect(await script.run("deployments list")).toBe(0);
  expect(await script.run("svc ls")).toBe(0);
  expect(await script.run("services describe Greeter")).toBe(0);
  const { stdout } = await command.run(["dp", "ls", "--json"], { env });
  const { id } = (JSON.parse(stdout) as { deployments: { id: string }[] }).deployments[0]!;
  expect(await script.run(`deployments describe ${id}`)).toBe(0);
  expect((await command.run(["deployments", "describe", id, "--json"], { env })).stdout).not.toContain("secret");
  expect(await script.run("svc ls --json")).toBe(0);
  expect(script.text).not.toContain("secret");
  expect(await script.run("deployments list", { terminal: true })).toBe(0);
  expect(await script.run("deployments list", { terminal: true, env: { NO_COLOR: "1" } })).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/lists.txt");
});

it("services list --counts counts the invocations of each service", async () => {
  const { code, stdout } = await command.run(["services", "list", "--counts"], { env });
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/NAME +OPEN +FAILING +PAUSED +FAILED\nGreeter +0 +0 +0 +0\n/),
  ]);
  expect(stdout).toMatch(/FAILED: ended with a failure since \d{4}-/);
});

it.each(["CI", "FORCE_COLOR"])("a pipe gets plain text where %s is set", async (name) => {
  const { stdout } = await command.run(["deployments", "list"], { env: { ...env, [name]: "1" } });
  expect(stdout).toContain("ID");
  expect(stdout).not.toContain("\u001b");
});

it("a failed command prints the cause and a remedy, and has its own exit code", async () => {
  const script = scribe(command, env);
  expect(await script.run("deployments register http://127.0.0.1:1 --yes")).toBe(1);
  expect(await script.run("deployments register 'no address' --yes")).toBe(2);
  expect(await script.run("services describe Nobody")).toBe(1);
  expect(await script.run("svc ls", { env: { STEPWELL_ADMIN_URL: "http://127.0.0.1:3" } })).toBe(3);
  expect(await script.run("svc ls --admin-url ftp://127.0.0.1")).toBe(2);
  expect(await script.run(`svc ls --admin-url ${stage.ingressUri}`)).toBe(3);
  expect(await script.run("deploymets list")).toBe(2);
  expect(await script.run("deployments lst")).toBe(2);
  expect(await script.run("deployments list --jsno")).toBe(2);
  for (const line of ["deploymets list --json", "svc describe --json", "inv --json", "dev --nope --json"])
    expect(await script.run(line)).toBe(2);
  await expect(script.text).toMatchFileSnapshot("transcripts/failures.txt");
});

it("a probe shows what a deployment announces now beside its registration, and fails if it does not answer", async () => {
  let served = greeter as typeof grown;
  const changing = createServer((request, response) =>
    createEndpointHandler({ services: [served], logger: () => {} })(request, response),
  );
  const server = await listen(changing);
  const { stdout } = await command.run(["deployments", "register", server.uri, "--yes", "--force", "--json"], { env });
  const { id } = JSON.parse(stdout) as { id: string };
  const probe = async (...more: string[]) => await command.run(["deployments", "probe", id, ...more], { env });
  const same = await probe();
  expect([same.code, same.stdout]).toEqual([
    0,
    expect.stringContaining("it answers, and announces what is registered"),
  ]);
  expect(same.stdout).toMatch(/took \d+ ms\n/);
  served = grown;
  const differs = await probe();
  expect(differs.code).toBe(0);
  expect(differs.stdout).toMatch(/WHERE +WHAT +REGISTERED +FOUND\nGreeter\/whisper +handler +not registered +service/);
  await server.close();
  const down = await probe();
  expect([down.code, down.stdout]).toEqual([1, expect.stringMatching(/it does not answer\n.*META0003.*ECONNREFUSED/)]);
  const { code, stdout: json } = await probe("--json");
  expect([code, JSON.parse(json)]).toEqual([1, expect.objectContaining({ outcome: "unanswered" })]);
  await command.run(["deployments", "remove", id, "--yes", "--force"], { env });
});

it("a deployment is removed after a confirmation, and only once", async () => {
  const script = scribe(command, env);
  const before = (await deployments()) as readonly { readonly id: string; readonly uri: string }[];
  const { id } = before.find(({ uri }) => uri.startsWith(first.uri))!;
  expect(await script.run(`deployments remove ${id}`)).toBe(4);
  expect(await deployments()).toHaveLength(before.length);
  expect(await script.run(`deployments remove ${id} --yes`)).toBe(0);
  expect(await deployments()).toHaveLength(before.length - 1);
  expect(await script.run(`deployments remove ${id} --yes`)).toBe(1);
  await expect(script.text).toMatchFileSnapshot("transcripts/remove.txt");
});
