/** `stepwell dev` as a process: its lines at the start, after calls of handlers, and after changes of a deployment. */
import "../../../examples/polyfill.mjs";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttp1 } from "node:http";
import { createServer } from "node:http2";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { TerminalError, createEndpointHandler, service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { USUAL_PORTS } from "../../../functions/local/find-deployments.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { buildCommand, type BuiltCommand } from "../../errors/command.ts";
import { startServer } from "../../harness/https/peer.ts";

const READY = /Stepwell is ready/;
/** A secret of a caller. */
const CANARY = "canary-4711";

let command: BuiltCommand;
let dir: string;
beforeAll(async () => {
  command = await buildCommand();
});
afterAll(() => command.remove());
beforeEach(async () => {
  dir = await temporaryDirectory();
  // These run after what a hook returns, and the last one first: what the test started in the directory ends before.
  onTestFinished(() => removeDirectory(dir));
});

let failures = 0;
const ops = service({
  name: "Ops",
  handlers: {
    greet: async (_ctx: Context, name: string): Promise<string> => `Hello ${name}`,
    refuse: async (): Promise<void> => {
      throw new TerminalError("not today");
    },
    stumble: async (): Promise<void> => {
      if (++failures === 1) throw new Error("not yet");
    },
  },
});

async function deployment(atPort = 0): Promise<number> {
  const server = createServer(createEndpointHandler({ services: [ops], logger: () => {} }));
  const { port, stop } = await startServer(server, "http", atPort);
  onTestFinished(stop);
  return port;
}

test("it shows how to call a handler, and a line for each end and each failure", async () => {
  const running = command.start(["dev", "--data-dir", dir, "--register", `localhost:${await deployment()}`]);
  const told = await running.told(/A handler can be called: .*\n/);
  const [, url, body] = /: curl (\S+) -H 'content-type: application\/json' -d '(.*)'\n/.exec(told)!;
  const call = (path: string, init: RequestInit = {}) => fetch(new URL(path, url), { method: "POST", ...init });
  const greet = async (payload: string): Promise<unknown> => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${CANARY}` };
    return await (await call("/Ops/greet", { headers, body: payload })).json();
  };
  expect([new URL(url!).pathname, await greet(body!)]).toEqual(["/Ops/greet", "Hello Ada"]);
  expect(await greet(JSON.stringify(CANARY))).toBe(`Hello ${CANARY}`);
  await running.told(
    /INFO {2}An invocation ended target=Ops\/greet outcome=succeeded durationMs=\d+ invocationId=inv_\w+\n/,
  );
  await call("/Ops/refuse");
  await running.told(/INFO {2}An invocation ended target=Ops\/refuse outcome=failed .* reason="not today"\n/);
  await call("/Ops/stumble");
  await running.told(
    /WARN {2}An attempt failed .*target=Ops\/stumble attempt=1 errorCode=RT0007 .* next=retry retryInMs=\d+\n/,
  );
  await running.told(/INFO {2}An invocation ended target=Ops\/stumble outcome=succeeded /);
  const { code, stderr } = await running.end("SIGTERM");
  expect([code, stderr.match(/A handler can be called/g)]).toEqual([0, ["A handler can be called"]]);
  expect(stderr).not.toContain(CANARY);
});

test("a deployment at a usual port is found, registered and shown, and a web page at another usual port is ignored", async () => {
  const [port, other] = await usualPorts();
  await deployment(port);
  const { stop } = await startServer(
    createHttp1((_, answer) => void answer.end("<p>")),
    "http",
    other,
  );
  onTestFinished(stop);
  const running = command.start(["dev", "--data-dir", dir]);
  const told = await running.told(/A handler can be called: curl .*\/Ops\/greet /);
  const uri = `http://localhost:${port}/`;
  expect(told).toMatch(new RegExp(`A deployment was found at a usual port of this machine; .* uri=${uri}\n`));
  expect(told).toMatch(new RegExp(`INFO {2}A deployment was registered .*${uri}`));
  expect(told).not.toMatch(/WARN|ERROR/);
  const { code, stderr } = await running.end("SIGTERM");
  expect([code, stderr.match(/was found at/g)]).toEqual([0, ["was found at"]]);
});

test("it warns at its start if the environment turns the checks of certificates off, and only then", async () => {
  for (const [value, warns] of [
    ["0", true],
    ["1", false],
  ] as const) {
    const running = command.start(["dev", "--data-dir", dir, "--no-register"], { NODE_TLS_REJECT_UNAUTHORIZED: value });
    const told = await running.told(READY);
    expect(/WARN {2}Certificates are not checked.*variable="?NODE_TLS_REJECT_UNAUTHORIZED=0/.test(told)).toBe(warns);
    expect(await running.end("SIGTERM")).toMatchObject({ code: 0 });
  }
});

test("it looks for no deployment at its own ports", async () => {
  const [port] = await usualPorts();
  const running = command.start(["dev", "--data-dir", dir, "--ingress-port", String(port)]);
  const others = USUAL_PORTS.filter((one) => one !== port).join(",");
  await running.told(new RegExp(`INFO {2}No deployment answers at the usual ports .* ports="${others}" `));
  expect(await running.end("SIGTERM")).toMatchObject({ code: 0 });
});

test("a change that drops a handler of open invocations warns with their ids before it is registered", async () => {
  const first = await startServer(serverWith("stays", "goes"));
  const running = command.start(["dev", "--data-dir", dir, "--register", String(first.port)]);
  const told = await running.told(/A handler can be called: .*\n/);
  const url = new URL("/Changing/goes/send?delay=1h", /A handler can be called: curl (\S+)/.exec(told)![1]!);
  const { invocationId } = (await (await fetch(url, { method: "POST" })).json()) as { invocationId: string };
  await first.stop();
  const second = await startServer(serverWith("stays"), "http", first.port);
  onTestFinished(second.stop);
  await running.told(
    new RegExp(
      `WARN .*target=Changing/goes open=1 invocationIds=${invocationId}\n[^]*INFO {2}The deployment has changed`,
    ),
  );
  await running.end("SIGTERM");
});

function serverWith(...names: readonly string[]): ReturnType<typeof createServer> {
  const handlers = Object.fromEntries(names.map((name) => [name, async () => name]));
  return createServer(createEndpointHandler({ services: [service({ name: "Changing", handlers })], logger: () => {} }));
}

/** Two of the usual ports. @throws Error if processes of this machine leave fewer than two free */
async function usualPorts(): Promise<readonly [number, number]> {
  const free: number[] = [];
  for (const port of USUAL_PORTS) if (!(await answers(port))) free.push(port);
  const [port, other] = free;
  if (port === undefined || other === undefined)
    throw new Error(`processes of this machine use two of the ports ${USUAL_PORTS.join(", ")}`);
  return [port, other];
}

async function answers(port: number): Promise<boolean> {
  const socket = connect({ port, host: "localhost" });
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

test("with log.level warn it shows failures alone", async () => {
  const port = await deployment();
  failures = 0;
  const settings = { STEPWELL_LOG__LEVEL: "warn", STEPWELL_INGRESS__PORT: String(await freePort()) };
  const running = command.start(["dev", "--data-dir", dir, "--register", String(port)], settings);
  const stumble = (): Promise<number> =>
    fetch(`http://127.0.0.1:${settings.STEPWELL_INGRESS__PORT}/Ops/stumble`, { method: "POST" }).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(stumble).toBe(200);
  // The call has its result, so a line about its end would be there when the process has ended.
  const { code, stderr } = await running.end("SIGTERM");
  expect([code, stderr]).toEqual([0, expect.stringMatching(/WARN {2}An attempt failed/)]);
  expect(stderr).not.toMatch(/INFO|An invocation ended/);
});

test("a flood of calls has a bounded number of lines, which account for every call", async () => {
  const calls = 300;
  const running = command.start(["dev", "--data-dir", dir, "--register", String(await deployment())]);
  const told = await running.told(/A handler can be called: .*\n/);
  const url = new URL("/Ops/refuse", /A handler can be called: curl (\S+)/.exec(told)![1]!);
  const refused = await Promise.all(
    Array.from({ length: calls }, async () => (await fetch(url, { method: "POST" })).status),
  );
  expect(new Set(refused)).toEqual(new Set([500]));
  const { stderr } = await running.end("SIGTERM");
  const shown = stderr.match(/An invocation ended/g)!.length;
  const omitted = [...stderr.matchAll(/More invocations ended .* count=(\d+) notSucceeded=(\d+)/g)];
  const sum = (group: number): number => omitted.reduce((total, line) => total + Number(line[group]), 0);
  expect([shown + sum(1), sum(2)]).toEqual([calls, sum(1)]);
  // Each window of one second has at most twenty lines. A line about omitted invocations follows each window, except perhaps
  // the last one.
  expect(shown).toBeLessThanOrEqual(20 * (omitted.length + 1));
  expect(omitted.length).toBeGreaterThan(0);
});

async function freePort(): Promise<number> {
  const { port, stop } = await startServer(createServer());
  await stop();
  return port;
}

test("its own variables and those of the other commands cause no warning, and with --no-register it looks for no deployment", async () => {
  const [port] = await usualPorts();
  const settings = { STEPWELL_ADMIN_URL: "http://localhost:9070", STEPWELL_INGRESS_URL: "http://localhost:8080" };
  const server = createServer(createEndpointHandler({ services: [ops], logger: () => {} }));
  const { stop, connections } = await startServer(server, "http", port);
  onTestFinished(stop);
  const running = command.start(["dev", "--data-dir", dir, "--no-register"], settings);
  expect(await running.told(READY)).not.toContain("WARN");
  // A process that looks for deployments would connect within this time.
  await pause(1_500);
  const { stderr } = await running.end("SIGTERM");
  expect([connections(), stderr.match(/usual port/g)]).toEqual([0, null]);
});

test("it writes its admin address to the file that STEPWELL_ADMIN_URL_FILE names, even if an option sets the port", async () => {
  const [file, port] = [join(dir, "admin-url"), String(await freePort())];
  const args = ["dev", "--data-dir", dir, "--no-register", "--admin-port", port];
  const running = command.start(args, { STEPWELL_ADMIN_URL_FILE: file });
  expect(await running.told(READY)).not.toContain("WARN");
  expect(readFileSync(file, "utf8")).toBe(`http://127.0.0.1:${port}/`);
  await running.end("SIGTERM");
});

test("a --register that is no address ends the process as a fault of the command line", async () => {
  for (const written of ["99999", "arn:aws:lambda:eu-west-1:123456789012:function:greeter:1"]) {
    const { code, stderr } = await command.start(["dev", "--data-dir", dir, "--register", written]).end();
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: .*\n {2}fix {4}/)]);
  }
});
