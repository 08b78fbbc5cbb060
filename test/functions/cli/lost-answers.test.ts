/** The texts about requests without a complete answer: they state what is known, and no password. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { WITHOUT_LIMIT, adminClient } from "../../../functions/cli/http/admin-client.ts";
import { CommandFailure } from "../../../functions/cli/text/command-failure.ts";
import { exchange } from "../../../functions/cli/http/http-exchange.ts";
import { ingressClient } from "../../../functions/cli/http/ingress-client.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openScriptedServer, type ScriptedServer } from "../../harness/cli/scripted-server.ts";

const during = async <Result>(_what: string, work: Promise<Result>): Promise<Result> => work;

let command: BuiltCommand;
let server: ScriptedServer;

beforeAll(async () => {
  [command, server] = await Promise.all([buildCommand(), openScriptedServer()]);
});

afterAll(async () => {
  await command.remove();
  await server.close();
});

const failureOf = async (work: Promise<unknown>): Promise<CommandFailure> =>
  work.then(
    () => expect.fail("the work succeeded"),
    (error: unknown) => (error instanceof CommandFailure ? error : expect.fail(String(error))),
  );

/** The answer of an ingress to an invocation that takes longer than a request may wait. */
function outOfTime(retryAfter?: string) {
  const headers = { "x-restate-id": "inv_1", "x-restate-error-source": "ingress" };
  return {
    status: 504,
    body: "{}",
    headers: { ...headers, ...(retryAfter !== undefined && { "retry-after": retryAfter }) },
  };
}

describe("a call whose ingress runs out of time", () => {
  it("attaches again after the pause that the ingress asks for, and after a second at least", async () => {
    const answers = ["7", "0", undefined, "soon", "Tue, 01 Jan 2999 00:00:00 GMT", "999999999"].map(outOfTime);
    server.answer(() => answers.shift() ?? { status: 200, body: "1" });
    const pauses: number[] = [];
    const client = ingressClient(server.url, { during }, async (pauseMs) => void pauses.push(pauseMs));
    const answer = await client.ask({ method: "POST", path: "Greeter/greet" }, "Waiting");
    expect(answer.body.toString()).toBe("1");
    expect(pauses).toEqual([7000, 1000, 1000, 1000, 300_000, 300_000]);
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /Greeter/greet",
      ...Array.from({ length: 6 }, () => "GET /restate/invocation/inv_1/attach"),
    ]);
  });

  it("can be interrupted during the pause", async () => {
    server.answer(() => outOfTime("200"));
    const stopping = new AbortController();
    const client = ingressClient(server.url, { during });
    const asked = client.ask({ method: "GET", path: "a" }, "Waiting", stopping.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    stopping.abort();
    await expect(asked).rejects.toThrow(Error);
    expect(server.requests).toHaveLength(1);
  });
});

describe("an answer that is late", () => {
  it("is not reported as a missing server, and the text says what the server may have done", async () => {
    server.answer(() => ({ status: 200, body: "{}", afterMs: Infinity }));
    const client = adminClient(async () => ({ base: server.url, options: "--admin-url" }), { during }, 50);
    const read = await failureOf(client.ask("GET", "services"));
    expect(read.message).toBe(`${server.url} did not answer within 0.05 s`);
    expect(read.text).toMatchObject({ exitCode: 3, fix: "Run the command again." });
    const change = await failureOf(client.ask("PATCH", "invocations/inv_1/kill"));
    expect(change.text.fix).toContain("The server may have carried out the request");
  });

  it("is awaited without a limit if the server has a time limit of its own", async () => {
    server.answer(() => ({ status: 200, body: '{"rows":[]}', afterMs: 200 }));
    const client = adminClient(async () => ({ base: server.url, options: "--admin-url" }), { during }, 50);
    const { body } = await client.askText("POST", "query", { query: "SELECT 1" }, "Reading", WITHOUT_LIMIT);
    expect(body).toBe('{"rows":[]}');
  });
});

it("an answer beyond the bound is cut off, and the text says so", async () => {
  server.answer(() => ({ status: 200, body: "x".repeat(3 * 1024 * 1024) }));
  const address = { base: server.url, options: "--admin-url" };
  const asked = { method: "GET", path: "a" };
  const failure = await failureOf(exchange(address, asked, { answerMaxBytes: 2 * 1024 * 1024 }));
  expect(failure.message).toBe(`The answer of ${server.url} is larger than 2 MiB`);
  expect(failure.text.exitCode).toBe(1);
  const answer = await exchange(address, asked, { answerMaxBytes: 3 * 1024 * 1024 });
  expect(answer.body).toHaveLength(3 * 1024 * 1024);
});

describe("a connection that breaks", () => {
  it.each([
    ["svc ls", "Run the command again."],
    ["awakeable resolve sign_1", "The server may have carried out the request"],
    ["call Greeter/greet", "The server may have carried out the request"],
  ])("after %s is not reported as a missing server", async (line, fix) => {
    server.answer(() => undefined);
    const { stderr, code } = await command.run(line.split(" "), { env: server.env });
    expect(code).toBe(3);
    expect(stderr).toContain(`error: The connection to ${server.url} broke before the answer was complete\n`);
    expect(stderr).toContain(fix);
  });

  it("before the TLS handshake is not reported as a missing server", async () => {
    server.answer(() => undefined);
    const url = server.url.replace("http:", "https:");
    const { stderr, code } = await command.run(["svc", "ls", "--admin-url", url]);
    expect(code).toBe(3);
    expect(stderr).toContain(`error: There is no connection to ${url}\n`);
    expect(server.requests).toEqual([]);
  });
});

it("a redirect is not followed", async () => {
  server.answer(() => ({ status: 302, body: "", headers: { location: "/elsewhere" } }));
  const { stderr, code } = await command.run(["svc", "ls"], { env: server.env });
  expect([code, server.requests.length]).toEqual([3, 1]);
  expect(stderr).toContain("cause  it redirects the request\n");
});

describe("a request that the server does not know", () => {
  const versions = (body: object): void =>
    server.answer(({ path }) =>
      path === "/version" ? { status: 200, body: JSON.stringify(body) } : { status: 404, body: "" },
    );
  const ours = packageJson.config.version;

  it("names the versions of both sides where they differ, and what to do", async () => {
    versions({ product: "stepwell", product_version: "0.1.0" });
    const { stderr, code } = await command.run(["svc", "ls"], { env: server.env });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: The server, version 0.1.0, does not know this request of the command, version ${ours}
  cause  404 to GET /services
  fix    Use version 0.1.0 of the command, or bring the server to version ${ours}.
`,
    );
  });

  it.each([[{ product: "stepwell", product_version: ours }], [{ version: "1.2.3" }], [[]]])(
    "blames no version where the server states %j",
    async (body) => {
      versions(body);
      const { stderr, code } = await command.run(["svc", "ls"], { env: server.env });
      expect(code).toBe(1);
      expect(stderr).toBe(`error: The server does not know this request
  cause  404 to GET /services
  fix    Check that --admin-url is the address of an admin API.
`);
    },
  );

  it("is not reported where the server answers 500 without a text", async () => {
    server.answer(() => ({ status: 500, body: "" }));
    const { stderr } = await command.run(["svc", "ls"], { env: server.env });
    expect(stderr).toContain(
      "error: The server answered with 500, and without a text\n  cause  500 to GET /services\n",
    );
    expect(server.requests).toHaveLength(1);
  });
});

describe("a password in an address", () => {
  const NOWHERE = "http://ada:secret@127.0.0.1:1/";
  const service = {
    name: "Greeter",
    ty: "Service",
    retry_policy: { max_attempts: null },
    handlers: [{ name: "greet", public: true, input_description: "json", output_description: "json" }],
  };

  it.each([
    ["svc ls", { STEPWELL_ADMIN_URL: NOWHERE }],
    ["call Greeter/greet", { STEPWELL_INGRESS_URL: NOWHERE }],
    ["svc ls --admin-url http://ada:secret@", {}],
    ["call Greeter/greet --ingress-url ftp://ada:secret@127.0.0.1", {}],
  ])("is not in the error of %s", async (line, env) => {
    const { stdout, stderr, code } = await command.run(line.split(" "), { env });
    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).not.toMatch(/secret|ada/);
  });

  it("is sent, and is not shown in the address of a handler", async () => {
    server.answer(() => ({ status: 200, body: JSON.stringify(service) }));
    const url = server.url.replace("://", "://ada:secret@");
    const env = { STEPWELL_ADMIN_URL: url, STEPWELL_INGRESS_URL: url };
    const { stdout, code } = await command.run(["svc", "describe", "Greeter"], { env });
    expect(code).toBe(0);
    expect(stdout).toContain(`${server.url.replace("://", "://***@")}Greeter/greet`);
    expect(stdout).not.toMatch(/secret|ada/);
    const basic = `Basic ${Buffer.from("ada:secret").toString("base64")}`;
    expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual([basic]);
  });
});
