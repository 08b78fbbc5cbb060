/** Failures between the control plane and a deployment, and what the operator sees of them. */
import { expect, test } from "vitest";
import {
  end,
  output,
  refusing,
  replying,
  startFrameDeployment,
  type FrameDeployment,
  type Script,
  type Transport,
} from "./frame-deployment.ts";
import { openStage, type ErrorStage } from "./stage.ts";
import { fetch } from "../harness/local/admin-access.ts";

const HEALTHY = replying(output("hello"), end());
const TRANSPORTS: readonly Transport[] = ["h2 in the clear", "http1.1 in the clear"];

async function opened(
  transport: Transport,
  settings: Parameters<typeof openStage>[0] = {},
): Promise<{ stage: ErrorStage; deployment: FrameDeployment }> {
  const stage = await openStage(settings);
  const deployment = await startFrameDeployment(HEALTHY, transport);
  const registered = await stage.register(deployment.uri, { use_http_11: transport === "http1.1 in the clear" });
  expect(registered.status).toBe(201);
  return { stage, deployment };
}

const FAULTS: readonly (readonly [what: string, code: string, reason: RegExp, script: Script])[] = [
  ["is silent", "RT0001", /abort timeout.*0\.3s/, () => undefined],
  [
    "is silent after its head",
    "RT0001",
    /abort timeout/,
    (response, request) => {
      response.writeHead(200, { "content-type": request.headers["content-type"] ?? "" });
      response.flushHeaders();
    },
  ],
  ["resets the connection", "RT0010", /broke|without an answer/, (_, request) => request.socket.destroy()],
  [
    "breaks in the middle of a message",
    "RT0010",
    /broke|in the middle/,
    (response, request) => {
      response.writeHead(200, { "content-type": request.headers["content-type"] ?? "" });
      response.write(output("hello").subarray(0, 5), () => request.socket.destroy());
    },
  ],
  ["stops before the end of the attempt", "RT0010", /before the end of the attempt/, replying()],
  ["answers 502", "RT0010", /502/, refusing(502)],
  ["answers 504", "RT0010", /504/, refusing(504)],
  ["answers 415", "RT0015", /protocol version '7'/, refusing(415)],
  ["answers 413", "RT0019", /too large/, refusing(413)],
  ["answers 429", "RT0023", /'429'/, refusing(429)],
  ["answers 503", "RT0023", /'503'/, refusing(503)],
];

test.each(TRANSPORTS.flatMap((transport) => FAULTS.map((fault) => [transport, ...fault] as const)))(
  "over %s, a deployment that %s fails attempts with %s, and the invocation ends once the deployment is well",
  async (transport, _what, code, reason, script) => {
    // Other cases keep the default timeout, so that a busy machine is not taken for a silent deployment.
    const short = { "worker.invoker.inactivity-timeout": "300ms", "worker.invoker.abort-timeout": "300ms" };
    const settings = code === "RT0001" ? short : {};
    const { stage, deployment } = await opened(transport, settings);
    deployment.script = script;
    const id = await stage.send("Greeter/greet");
    expect((await stage.lastFailure(id, code)).message).toMatch(reason);
    deployment.script = HEALTHY;
    expect(await stage.result(id)).toBe("200 hello");
    expect((await stage.show(id)).events[0]).toMatchObject({ error_code: code });
    expect(stage.logged(id)[0]).toEqual({ errorCode: code, reason: expect.stringMatching(reason) });
  },
);

test.each(TRANSPORTS)(
  "over %s, a deployment that is down fails attempts with RT0010, and attempts succeed when it is back",
  async (transport) => {
    const { stage, deployment } = await opened(transport);
    await deployment.stop();
    const id = await stage.send("Greeter/greet");
    // The first attempt may use the connection that the registration opened, and then fails because that connection broke.
    const refused = await stage.shows(id, ({ last_failure: failure }) =>
      failure !== undefined && /cannot be reached.*ECONNREFUSED/.test(failure.message) ? failure : undefined,
    );
    expect(refused.error_code).toBe("RT0010");
    await deployment.restart();
    expect(await stage.result(id)).toBe("200 hello");
  },
);

test.each([429, 503])("the Retry-After of a %i is the delay of the next attempt", async (status) => {
  const { stage, deployment } = await opened("h2 in the clear");
  const refusal = refusing(status, { "retry-after": "3" });
  deployment.script = (...attempt) => (deployment.attempts.length === 1 ? refusal : HEALTHY)(...attempt);
  const id = await stage.send("Greeter/greet");
  expect(await stage.delayS(id)).toBe(3);
  expect(await stage.result(id)).toBe("200 hello");
  expect(deployment.attempts).toHaveLength(2);
});

test("a Retry-After with a date sets the moment of the next attempt", async () => {
  const { stage, deployment } = await opened("h2 in the clear");
  const moment = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
  deployment.script = refusing(503, { "retry-after": moment.toUTCString() });
  const id = await stage.send("Greeter/greet");
  const nextRetryAt = await stage.shows(id, (body) => body.next_retry_at);
  expect(Math.abs(Date.parse(nextRetryAt) - moment.getTime())).toBeLessThan(1000);
});

test("the metric of failed attempts has the code as a label", async () => {
  const { stage, deployment } = await opened("h2 in the clear");
  deployment.script = refusing(413);
  const id = await stage.send("Greeter/greet");
  await stage.lastFailure(id, "RT0019");
  const metrics = await (await fetch(`${stage.local.adminUrl}metrics`)).text();
  expect(metrics).toMatch(/attempt_failures_total\{code="RT0019"\} [1-9]/);
});
