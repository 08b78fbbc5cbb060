/** Writes the TypeScript templates, builds them by their own scripts, and runs them as HTTP servers and as Lambda functions. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createServer as createPlainServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEMPLATES } from "../../../functions/cli/commands/example-command.ts";
import { LambdaEndpoints } from "../../../shared/adapters/lambda/lambda-endpoints.ts";
import { discover } from "../../../shared/engine/register/discover.ts";
import { WHOLE_RANGE } from "../../../shared/core/protocol/version.ts";
import type { EngineSettings } from "../../../shared/engine/ports/engine-settings.ts";
import { SteppedClock } from "../../stepped-clock.ts";
import { listen, openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { fetch } from "../../harness/local/admin-access.ts";

const ROOT = join(import.meta.dirname, "../../..");

const run = promisify(execFile);

let command: BuiltCommand;
let stage: LocalStage;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  [command, stage, folder] = await Promise.all([
    buildCommand(),
    openLocalStage({}),
    mkdtemp(join(tmpdir(), "stepwell-example-")),
  ]);
});

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await stage.close();
  await Promise.all([command.remove(), rm(folder, { recursive: true, force: true })]);
});

async function freePort(): Promise<number> {
  const server = createPlainServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Writes the template and runs its two scripts, with the packages of this repository. */
async function project(template: string): Promise<string> {
  const ran = await command.run(["example", template], { cwd: folder });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const place = join(folder, template);
  await symlink(join(ROOT, "node_modules"), join(place, "node_modules"));
  await run("npm", ["run", "check"], { cwd: place });
  await run("npm", ["run", "build"], { cwd: place });
  return place;
}

/** The arguments with which `npm start` runs Node after the build. */
async function startArguments(place: string): Promise<readonly string[]> {
  const manifest = JSON.parse(await readFile(join(place, "package.json"), "utf8")) as { scripts: { start: string } };
  return manifest.scripts.start.split("&& node ")[1]!.split(" ");
}

/** The tests of the project, with the command under test. */
async function passesItsTests(place: string): Promise<void> {
  const env = { ...process.env, STEPWELL: `node ${command.path}` };
  const { stdout } = await run("npm", ["test"], { cwd: place, env });
  // Node 24 writes `ℹ` in place of `#`.
  expect(stdout).toMatch(/^(?:#|ℹ) pass 2$/m);
  expect(stdout).toMatch(/^(?:#|ℹ) fail 0$/m);
}

interface Served {
  /** The output of its handlers so far. */
  printed(): string;
}

async function serve(place: string): Promise<Served> {
  let printed = "";
  let [port, child] = [0, undefined as ChildProcess | undefined];
  const server = { STEPWELL_ADMIN_URL: stage.adminUri };
  const register = async (): Promise<number> => {
    // Another process may take the free port before the child listens. The child then ends, and a new child gets another port.
    if (child === undefined || child.exitCode !== null) {
      port = await freePort();
      const env = { ...process.env, PORT: String(port) };
      child = spawn(process.execPath, await startArguments(place), {
        cwd: place,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      children.push(child);
      for (const stream of [child.stdout!, child.stderr!])
        stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
    }
    return (await command.run(["dp", "register", String(port), "--yes"], { env: server })).code;
  };
  await expect.poll(register).toBe(0);
  return { printed: () => printed };
}

async function call(path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const response = await fetch(`${stage.ingressUri}/${path}`, { method: "POST", ...sent });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** The invoke API of Lambda, with one function behind it. */
function lambdaApi(handler: (event: unknown, context: object) => Promise<unknown>): ReturnType<typeof listen> {
  const server = createServer((incoming, outgoing) => {
    let event = "";
    incoming.setEncoding("utf8").on("data", (text: string) => (event += text));
    incoming.once("end", () => {
      void handler(JSON.parse(event), {}).then((answer) => outgoing.end(JSON.stringify(answer)));
    });
  });
  return listen(server);
}

/** The services that the function offers. */
async function discovered(place: string): Promise<readonly string[]> {
  const { handler } = createRequire(import.meta.url)(join(place, "dist/lambda.cjs")) as {
    handler: Parameters<typeof lambdaApi>[0];
  };
  const api = await lambdaApi(handler);
  const credentials = { accessKeyId: "example", secretAccessKey: "example" };
  const endpoints = new LambdaEndpoints({ endpoint: api.uri, credentials });
  try {
    const settings = { clusterName: "test", protocol: { ...WHOLE_RANGE, deprecatedBelow: 0 } } as EngineSettings;
    const arn = "arn:aws:lambda:eu-west-1:123456789012:function:example:1";
    const found = await discover({ endpoints, clock: new SteppedClock(), settings }, { arn, additionalHeaders: {} });
    return found.manifest.services.map(({ name }) => name);
  } finally {
    endpoints.close();
    await api.close();
  }
}

describe("a template in TypeScript", () => {
  it("greeter greets", async () => {
    const place = await project("greeter");
    await serve(place);
    expect(await call("greeter/greet", "Ada")).toEqual({
      status: 200,
      body: expect.stringMatching(/, Ada!$/) as unknown,
    });
    expect(await discovered(place)).toEqual(["greeter"]);
    await passesItsTests(place);
  });

  it("limits sends the mails of a tenant in its places", async () => {
    const place = await project("limits");
    await serve(place);
    expect(await call("restate/scope/acme/call/mails/send", "ada")).toEqual({ status: 200, body: "sent to ada" });
    expect((await discovered(place)).toSorted()).toEqual(["campaigns", "mails"]);
    await passesItsTests(place);
  });

  it("saga undoes its bookings", async () => {
    const place = await project("saga");
    const { printed } = await serve(place);
    const trip = { traveller: "Ada", flight: "LH1" };
    expect((await call("trips/book", { ...trip, hotel: "Ritz" })).status).toBe(200);
    expect(printed()).not.toContain("gave back");
    const refused = await call("trips/book", { ...trip, hotel: "full" });
    expect(refused).toMatchObject({ status: 409, body: { message: "The hotel is fully booked" } });
    const gaveBack = () => [...printed().matchAll(/gave back (\w+)/g)].map(([, kind]) => kind);
    await expect.poll(gaveBack).toEqual(["hotel", "flight"]);
    expect(await discovered(place)).toEqual(["trips"]);
    await passesItsTests(place);

    const { body } = await call("trips/book/send", { ...trip, hotel: "down" });
    const { invocationId } = body as { invocationId: string };
    const env = { STEPWELL_ADMIN_URL: stage.adminUri };
    const shown = async (): Promise<unknown> =>
      JSON.parse((await command.run(["inv", "get", invocationId, "--json"], { env })).stdout);
    const again = { last_failure: { message: expect.stringContaining("The hotel does not answer") as unknown } };
    await expect.poll(shown).toMatchObject(again);
    // A stack trace names the line of the source, and not that of the bundle.
    expect(printed()).toMatch(/at book \(.*\/src\/services\.ts:\d+:\d+\)/);
    expect(printed()).not.toContain("serve.cjs:");
    expect(await command.run(["inv", "cancel", invocationId, "--yes"], { env })).toMatchObject({ code: 0 });
    const cancelled = { status: "completed", completion_failure: { code: 409, message: "Cancelled" } };
    await expect.poll(shown).toMatchObject(cancelled);
    await expect.poll(gaveBack).toEqual(["hotel", "flight", "hotel", "flight"]);
  });

  it("object counts for each key", async () => {
    const place = await project("object");
    await serve(place);
    expect(await call("counter/ada/add", 2)).toEqual({ status: 200, body: 2 });
    expect(await call("counter/ada/add", 3)).toEqual({ status: 200, body: 5 });
    expect(await call("counter/bob/get")).toEqual({ status: 200, body: 0 });
    expect((await call("counter/ada/reset")).status).toBe(200);
    expect(await call("counter/ada/get")).toEqual({ status: 200, body: 0 });
    expect(await discovered(place)).toEqual(["counter"]);
    await passesItsTests(place);
  });

  it("workflow waits until a call confirms the secret that it printed", async () => {
    const place = await project("workflow");
    const { printed } = await serve(place);
    const running = call("signup/ada/run", { name: "Ada", email: "ada@example.com" });
    await expect.poll(printed).toContain("confirm with");
    // The workflow sets its status before its step prints the secret, but the status may become durable only after that, so the
    // first calls of `status` may not show it yet.
    const status = (): ReturnType<typeof call> => call("signup/ada/status");
    await expect.poll(status).toEqual({ status: 200, body: "waiting for the confirmation" });
    const [, letter] = /confirm with (.*)/.exec(printed())!;
    expect((await call("signup/ada/confirm", JSON.parse(letter!))).status).toBe(200);
    expect(await running).toEqual({ status: 200, body: "Welcome, Ada!" });
    expect(await discovered(place)).toEqual(["signup"]);
    await passesItsTests(place);
  });

  it("nightly reports on the day of each run", async () => {
    const place = await project("nightly");
    await serve(place);
    const env = { STEPWELL_ADMIN_URL: stage.adminUri };
    const schedules = async (...args: readonly string[]): Promise<string> =>
      (await command.run(["schedules", ...args, "--json"], { env })).stdout;
    const data = ["--data", '{"tenant":"acme"}'];
    await schedules("create", "nightly", "reports/nightly", "--cron", "0 2 * * *", ...data);
    await schedules("backfill", "nightly", "--from", "2026-01-01T00:00:00Z", "--to", "2026-01-03T00:00:00Z");
    const ended = async (): Promise<number> => {
      const { runs } = JSON.parse(await schedules("describe", "nightly")) as { runs: { outcome: string }[] };
      return runs.filter(({ outcome }) => outcome === "succeeded").length;
    };
    await expect.poll(ended).toBe(2);
    await schedules("delete", "nightly", "--yes");
    expect(await discovered(place)).toEqual(["reports"]);
    await passesItsTests(place);
  });

  it("is not written into a folder that has files, and an unknown name is refused", async () => {
    expect(Object.keys(TEMPLATES)).toEqual([
      "greeter",
      "saga",
      "object",
      "workflow",
      "limits",
      "nightly",
      "python",
      "go",
      "java",
    ]);
    await command.run(["example", "saga", "mine"], { cwd: folder });
    const again = await command.run(["example", "greeter", "mine"], { cwd: folder });
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toContain("mine already exists and is not empty");
    expect(await command.run(["example", "gretter"], { cwd: folder })).toMatchObject({ code: 2, stdout: "" });
  });
});
