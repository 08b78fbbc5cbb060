/** Faulty answers of a deployment: the error code of each fault, and what the operator sees of the fault. */
import { expect, test } from "vitest";
import { COMMANDS } from "../../shared/core/protocol/commands.ts";
import { encodeFrame, messageFrame } from "../../shared/core/protocol/frame.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import {
  call,
  end,
  error,
  GREETER,
  output,
  refusing,
  replying,
  startFrameDeployment,
  suspendNested,
  type FrameDeployment,
  type Script,
} from "./frame-deployment.ts";
import { openStage, type ErrorStage } from "./stage.ts";

const NOTHING = new Uint8Array(0);
const UNKNOWN_COMMAND = 0x0450;
const NOTIFICATION = 0x800c;
const SUSPENSION = 0x0001;
const HEALTHY = replying(output("hello"), end());

async function opened(): Promise<{ stage: ErrorStage; deployment: FrameDeployment }> {
  const stage = await openStage({ "worker.invoker.message-size-limit": "64KiB" });
  const deployment = await startFrameDeployment(HEALTHY);
  expect((await stage.register(deployment.uri)).status).toBe(201);
  return { stage, deployment };
}

const html: Script = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>hello</p>");
const older: Script = (response) =>
  response.writeHead(200, { "content-type": "application/vnd.restate.invocation.v5" }).end();
const stateful = messageFrame(COMMANDS.SetState.code, COMMANDS.SetState.type, { key: NOTHING, value: {} });

const misusing = (within: { readonly scope?: string; readonly limitKey?: string }) =>
  replying(call("Greeter", "greet", within), output("x"), end());

function attachIn(scope: string): Uint8Array {
  const { code, type } = COMMANDS.AttachInvocation;
  return messageFrame(code, type, { workflow: { workflowName: "W", workflowKey: "k", scope }, resultCompletionId: 1 });
}

const FAULTS: readonly (readonly [what: string, code: string, reason: RegExp, script: Script])[] = [
  ["sends a message above the limit", "RT0003", /\d+ >= 65536/, replying(output("x".repeat(70_000)), end())],
  ["ends with an error", "RT0007", /^no room$/, replying(error(500, "no room"))],
  ["ends with an error whose code the protocol does not define", "RT0007", /^teapot$/, replying(error(418, "teapot"))],
  ["answers in another content type", "RT0012", /'text\/html'; expected/, html],
  ["answers in another version", "RT0012", /v5'; expected.*v7/, older],
  ["answers without a content type", "RT0012", /'None'; expected/, refusing(200)],
  ["answers 404", "RT0012", /404/, refusing(404)],
  ["answers 401", "RT0012", /401/, refusing(401)],
  ["answers 500", "RT0012", /500/, refusing(500)],
  ["ends without an output", "RT0012", /without an output/, replying(end())],
  ["sends garbage", "RT0012", /protocol violation/, replying(new Uint8Array(64).fill(9, 0, 2))],
  ["sends an unknown command", "RT0012", /0x0450.*no known command/, replying(encodeFrame(UNKNOWN_COMMAND, NOTHING))],
  ["sends a notification", "RT0012", /notifications/, replying(encodeFrame(NOTIFICATION, NOTHING))],
  ["waits on nothing", "RT0012", /waits on nothing/, replying(encodeFrame(SUSPENSION, NOTHING))],
  ["says that it broke the protocol", "RT0012", /^unexpected$/, replying(error(571, "unexpected"))],
  ["finds another path in its journal", "RT0016", /^another path$/, replying(error(570, "another path"))],
  ["writes state in a plain service", "RT0017", /command index 1.*no state/, replying(stateful, output("x"), end())],
  ["calls a service that is not there", "RT0018", /Nobody\/home was not found/, replying(call("Nobody", "home"))],
  ["calls a handler that is not there", "RT0018", /Greeter\/wave was not found/, replying(call("Greeter", "wave"))],
  ["calls in a scope of another form", "RT0024", /scope 'a b' is not 1 to 36 letters/, misusing({ scope: "a b" })],
  ["calls in an empty scope", "RT0024", /scope '' is not 1 to 36 letters/, misusing({ scope: "" })],
  ["calls with a limit key of three parts", "RT0024", /'a\/b\/c' is not/, misusing({ scope: "a", limitKey: "a/b/c" })],
  ["calls with a limit key and no scope", "RT0024", /limit key was given without a scope/, misusing({ limitKey: "a" })],
  ["attaches in a scope of another form", "RT0024", /scope 'a b' is not 1 to 36/, replying(attachIn("a b"), end())],
];

test.each(FAULTS)(
  "a deployment that %s fails attempts with %s, and the invocation ends once the deployment is well",
  async (_what, code, reason, script) => {
    const { stage, deployment } = await opened();
    deployment.script = script;
    const id = await stage.send("Greeter/greet");
    const failure = await stage.lastFailure(id, code);
    expect(failure.message).toMatch(reason);
    deployment.script = HEALTHY;
    expect(await stage.result(id)).toBe("200 hello");
    expect((await stage.show(id)).events).toContainEqual(expect.objectContaining({ error_code: code }));
    expect(stage.logged(id)[0]).toEqual({ errorCode: code, reason: expect.stringMatching(reason) });
  },
);

test("a handler that is registered after a failed call to it is found by the next attempt", async () => {
  const { stage, deployment } = await opened();
  const callee = await startFrameDeployment(replying(output("here"), end()));
  callee.manifest = manifestOf([{ ...GREETER, name: "Late" }]);
  deployment.script = replying(call("Late", "greet"), output("called"), end());
  const id = await stage.send("Greeter/greet");
  expect((await stage.lastFailure(id, "RT0018")).related_command).toMatchObject({ index: 1, type: "Call" });
  await stage.register(callee.uri);
  expect(await stage.result(id)).toBe("200 called");
});

test("an await that nests too deep pauses the invocation with RT0025, and a corrected handler ends it", async () => {
  const { stage, deployment } = await opened();
  deployment.script = replying(suspendNested(1_001));
  const id = await stage.send("Greeter/greet");
  const paused = await stage.shows(id, (body) => (body.status === "paused" ? body : undefined));
  expect(paused.last_failure).toMatchObject({ error_code: "RT0025", message: expect.stringMatching(/1000 levels/) });
  expect(deployment.attempts).toHaveLength(1);
  deployment.script = HEALTHY;
  await stage.admin("PATCH", `invocations/${id}/resume`);
  expect(await stage.result(id)).toBe("200 hello");
});

test("the next attempt waits for as long as the deployment asks, even if no Date can be that late", async () => {
  const { stage, deployment } = await opened();
  deployment.script = replying(error(500, "later", 3_600_000n));
  const id = await stage.send("Greeter/greet");
  expect(await stage.delayS(id)).toBe(3600);
  deployment.script = replying(error(500, "never", 2n ** 64n - 1n));
  const never = await stage.send("Greeter/greet");
  expect((await stage.lastFailure(never, "RT0007")).message).toBe("never");
  await stage.shows(never, ({ status }) => (status === "backing-off" ? status : undefined));
});

test("a terminal failure of a handler ends its invocation with its message and without an error code", async () => {
  const { stage, deployment } = await opened();
  const failure = { code: 409, message: "taken" };
  const { code, type } = COMMANDS.Output;
  deployment.script = replying(messageFrame(code, type, { failure }), end());
  const response = await fetch(`${stage.local.ingressUrl}Greeter/greet`, { method: "POST" });
  expect(response.status).toBe(409);
  expect(await response.json()).toEqual({ ...failure, source: "invocation" });
});

test("an invocation whose attempts are used up is paused, and shows the last failure", async () => {
  const stage = await openStage({ "default-retry-policy.max-attempts": "2" });
  const deployment = await startFrameDeployment(replying(error(500, "no room")));
  await stage.register(deployment.uri);
  const id = await stage.send("Greeter/greet");
  const paused = await stage.shows(id, (body) => (body.status === "paused" ? body : undefined));
  expect(paused.last_failure).toMatchObject({ error_code: "RT0007", message: "no room" });
  expect(deployment.attempts).toHaveLength(2);
});

test("if the policy kills, the caller gets the last failure", async () => {
  const stage = await openStage({
    "default-retry-policy.max-attempts": "2",
    "default-retry-policy.on-max-attempts": "kill",
  });
  const deployment = await startFrameDeployment(replying(error(500, "no room")));
  await stage.register(deployment.uri);
  expect(await stage.result(await stage.send("Greeter/greet"))).toMatch(/^500 .*"message":"no room"/);
});
