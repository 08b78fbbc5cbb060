/** Tests the handlers of the functions, each over its own engine: from event to result, with no work left running. */
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { adminHandler } from "../../../functions/admin/admin-handler.ts";
import { ingressHandler } from "../../../functions/ingress/ingress-handler.ts";
import type { GatewayEvent } from "../../../functions/lambda/gateway-event.ts";
import { sweeperHandler } from "../../../functions/sweeper/sweeper-handler.ts";
import { workerHandler } from "../../../functions/worker/worker-handler.ts";
import { readSettings } from "../../../shared/config/settings.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { bodyOfWake } from "../../../shared/engine/ports/wake-body.ts";
import type { Aws } from "../../../shared/wiring/aws.ts";
import type { WorkEvent } from "../../../shared/wiring/work-event.ts";
import { LEASE_MS, type Actor, type Stage } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const openStage = stages();
const { settings } = readSettings({ environment: {}, flags: {} });
const INGRESS_TIME_MS = settings["aws.ingress-time"];
const MINUTES = { getRemainingTimeInMillis: () => 900_000 };

const open = (handlers: Record<string, Handler>) =>
  openStage(handlers, { slow: { slowFromMs: settings["aws.slow-from"], slowServices: "queue" } });
const awsOf = ({ engine }: Actor): Aws => ({ engine, settings });

function request(method: string, rawPath: string, body = ""): GatewayEvent {
  return { rawPath, headers: { "content-type": "application/json" }, requestContext: { http: { method } }, body };
}

/** The event that the event source would hand to the worker. */
async function nextEvent(stage: Stage): Promise<WorkEvent> {
  const deliveries = await stage.pulse.within(0, stage.stores.queue.receive(10, 900_000, 0));
  return {
    Records: deliveries.map(({ wake, receipt, receiveCount }, at) => ({
      messageId: `m${at}`,
      receiptHandle: receipt,
      body: bodyOfWake(wake),
      attributes: { ApproximateReceiveCount: String(receiveCount) },
    })),
  };
}

test("a call is answered with its result and its id", async () => {
  const stage = await open({ greet: (ctx) => `hello ${ctx.input}` });
  const ingress = ingressHandler(awsOf(stage.actor()));
  const result = await stage.pulse.within(100, ingress(request("POST", "/S/greet", "Ada"), MINUTES));
  expect(result).toMatchObject({ statusCode: 200, body: "hello Ada", isBase64Encoded: false });
  expect(result.headers["x-restate-id"]).toMatch(/^inv_1/);
});

test("ingress and worker log the id of the invocation, and nothing of its content", async () => {
  const stage = await open({ greet: (ctx) => `hello ${ctx.input}` });
  const [driver, worker] = [stage.actor(), stage.actor()];
  const path = "/S/greet/send";
  const reply = await stage.pulse.within(100, ingressHandler(awsOf(driver))(request("POST", path, "Ada"), MINUTES));
  const { invocationId } = JSON.parse(reply.body) as { readonly invocationId: string };
  await stage.pulse.within(1_000, workerHandler(awsOf(worker))(await nextEvent(stage), MINUTES));
  expect(driver.log.lines).toEqual([
    { level: "info", event: "request.answered", fields: { method: "POST", status: 202, invocationId } },
  ]);
  expect(worker.log.lines).toEqual([
    { level: "info", event: "wake.received", fields: { invocationId, messageId: "m0", receiveCount: 1 } },
  ]);
});

test("a call that takes too long is answered with 504 and the invocation's id; its output can be read later", async () => {
  const gate = new Gate();
  const stage = await open({ slow: () => gate.passed.then(() => "late") });
  const [driver, worker] = [stage.actor(), stage.actor()];
  const ingress = ingressHandler(awsOf(driver));
  const reply = await stage.pulse.within(INGRESS_TIME_MS + 500, ingress(request("POST", "/S/slow"), MINUTES));
  expect(reply.statusCode).toBe(504);
  expect(JSON.parse(reply.body)).toMatchObject({ code: 504, source: "ingress" });
  const id = reply.headers["x-restate-id"]!;
  expect(driver.engine.activeInvocations.size).toBe(0);

  gate.open();
  const event = await nextEvent(stage);
  expect(await stage.pulse.within(1_000, workerHandler(awsOf(worker))(event, MINUTES))).toEqual({
    batchItemFailures: [],
  });
  const attached = ingress(request("GET", `/restate/invocation/${id}/attach`), MINUTES);
  expect(await stage.pulse.within(100, attached)).toMatchObject({ statusCode: 200, body: "late" });
});

test("a throttled table is a 503 that says a retry is safe, and the log names the throttled resource", async () => {
  const stage = await open({ greet: () => "hello" });
  const actor = stage.actor();
  const hot = "DynamoDB could not do what was asked: ThrottlingException (TableWriteKeyRangeThroughputExceeded)";
  actor.process.before = ({ method }) => (method === "put" ? Promise.reject(new StoreError(hot)) : undefined);
  const reply = await stage.pulse.within(100, ingressHandler(awsOf(actor))(request("POST", "/S/greet"), MINUTES));
  expect([reply.statusCode, reply.body]).toEqual([503, expect.stringContaining("same idempotency key is safe")]);
  const line = actor.log.lines.find(({ level }) => level === "error");
  expect(line?.fields).toMatchObject({ route: "call", service: "S", detail: expect.stringContaining(hot) });
});

test("a function whose remaining time is shorter than the time limit of a request replies before its own end", async () => {
  const stage = await open({ slow: () => new Gate().passed.then(() => "") });
  const ingress = ingressHandler(awsOf(stage.actor()));
  const little = { getRemainingTimeInMillis: () => 4_000 };
  const reply = await stage.pulse.within(4_000, ingress(request("POST", "/S/slow"), little));
  expect(reply.statusCode).toBe(504);
});

test("a request above the limit of the settings is refused", async () => {
  const stage = await open({ greet: () => "" });
  const aws = { ...awsOf(stage.actor()), settings: { ...settings, "ingress.request-size-limit": 3 } };
  const reply = await stage.pulse.within(100, ingressHandler(aws)(request("POST", "/S/greet", "1234"), MINUTES));
  expect(reply.statusCode).toBe(413);
});

test("the admin function sends a compressed answer in base64, as the gateway wants bytes", async () => {
  const stage = await open({ greet: () => "" });
  const admin = adminHandler(awsOf(stage.actor()));
  const plain = await admin(request("GET", "/openapi"), MINUTES);
  const packed = await admin({ ...request("GET", "/openapi"), headers: { "accept-encoding": "gzip" } }, MINUTES);
  expect([plain.isBase64Encoded, packed.isBase64Encoded, packed.headers["content-encoding"]]).toEqual([
    false,
    true,
    "gzip",
  ]);
  expect(gunzipSync(Buffer.from(packed.body, "base64")).toString()).toBe(plain.body);
  expect(packed.body.length).toBeLessThan(plain.body.length / 3);
});

test("the admin function answers for services and invocations", async () => {
  const stage = await open({ greet: () => "hello" });
  const admin = adminHandler(awsOf(stage.actor()));
  const services = await stage.pulse.within(100, admin(request("GET", "/services"), MINUTES));
  expect(JSON.parse(services.body)).toMatchObject({ services: [{ name: "S" }] });
  const unknown = await stage.pulse.within(100, admin(request("GET", "/nothing"), MINUTES));
  expect(unknown.statusCode).toBe(404);
});

test.each([
  ["application/json", 20_000],
  // This answer is an Arrow stream of about 5 MB, which is too large as base64.
  ["*/*", 15_000],
])(
  "a statement whose answer as %s is too large for a function is refused, and the refusal says what to narrow",
  async (accept, size) => {
    const stage = await open({ greet: () => "hello" });
    const admin = adminHandler(awsOf(stage.actor()));
    const asked = async (query: string) => {
      const { headers, ...event } = request("POST", "/query", JSON.stringify({ query }));
      return await admin({ ...event, headers: { ...headers, accept, "content-type": "application/json" } }, MINUTES);
    };
    const columns = "from information_schema.columns";
    const refused = await asked(`select ordinal_position, '${"x".repeat(size)}' as x ${columns}`);
    expect([refused.statusCode, refused.body]).toEqual([
      400,
      expect.stringMatching(/answer .*; ask for fewer columns/),
    ]);
    expect((await asked(`select ordinal_position ${columns}`)).statusCode).toBe(200);
  },
);

test("the worker reports only the failed messages of a batch, drops messages that are not wakes, and delays each retry longer", async () => {
  const stage = await open({ good: () => "done", bad: () => "done" });
  const [sender, worker] = [stage.actor(), stage.actor()];
  const ingress = ingressHandler(awsOf(sender));
  for (const name of ["good", "bad"]) {
    await stage.pulse.within(100, ingress(request("POST", `/S/${name}/send`), MINUTES));
  }
  const event = await nextEvent(stage);
  const failing = event.Records.find((record) => record.messageId === "m1")!;
  const { id } = JSON.parse(failing.body) as { id: string };
  const isLoad = ({ method, args }: PortCall) => method === "query" && args[0] === `inv#${id}`;
  worker.process.before = (call) => (isLoad(call) ? Promise.reject(new Error("no answer")) : undefined);
  const foreign = { messageId: "x", receiptHandle: "none", body: "look here" };
  const answer = workerHandler(awsOf(worker))({ Records: [...event.Records, foreign] }, MINUTES);
  expect(await stage.pulse.within(1_000, answer)).toEqual({ batchItemFailures: [{ itemIdentifier: "m1" }] });
  const extended = worker.process.calls.filter(({ method }) => method === "extend").map(({ args }) => args);
  expect(extended.at(-1)).toEqual([failing.receiptHandle, 2_000]);
});

test("the messages of a worker that dies come again when their leases are over", async () => {
  const gate = new Gate();
  const stage = await open({
    work: async () => {
      if (stage.deployment.attempts.length === 1) await gate.passed;
      return "done";
    },
  });
  const [victim, next] = [stage.actor(), stage.actor()];
  await stage.pulse.within(100, ingressHandler(awsOf(victim))(request("POST", "/S/work/send"), MINUTES));
  void workerHandler(awsOf(victim))(await nextEvent(stage), MINUTES);
  await stage.pulse.pass(LEASE_MS * 2.2);
  victim.die();
  await stage.pulse.pass(LEASE_MS * 1.25);
  const again = await nextEvent(stage);
  expect(again.Records).toHaveLength(1);
  await stage.pulse.within(1_000, workerHandler(awsOf(next))(again, MINUTES));
  expect(stage.deployment.attempts).toHaveLength(2);
});

test("a message that crashes every worker is never replaced by a new one, so its receive count grows", async () => {
  const stage = await open({ deadly: () => new Gate().passed.then(() => "") });
  await stage.pulse.within(100, ingressHandler(awsOf(stage.actor()))(request("POST", "/S/deadly/send"), MINUTES));
  for (const [at, lives] of [0.02, 0.3, 0.7, 1.6].entries()) {
    let event = await nextEvent(stage);
    // The loop waits only until the message is visible, whether or not the lease of the dead driver is over.
    while (event.Records.length === 0) {
      await stage.pulse.pass(LEASE_MS / 50);
      event = await nextEvent(stage);
    }
    const [record] = event.Records;
    expect(record?.attributes?.ApproximateReceiveCount).toBe(String(at + 1));
    const victim = stage.actor();
    void workerHandler(awsOf(victim))(event, MINUTES);
    await stage.pulse.pass(LEASE_MS * lives);
    victim.die();
    expect(stage.deployment.attempts).toHaveLength(at + 1);
  }
});

test("a finished message is deleted while others of its batch still run", async () => {
  const gate = new Gate();
  const stage = await open({ quick: () => "done", long: () => gate.passed.then(() => "done") });
  const actor = stage.actor();
  const ingress = ingressHandler(awsOf(actor));
  for (const name of ["quick", "long"]) {
    await stage.pulse.within(100, ingress(request("POST", `/S/${name}/send`), MINUTES));
  }
  const answer = workerHandler(awsOf(actor))(await nextEvent(stage), MINUTES);
  await stage.pulse.pass(LEASE_MS);
  expect(actor.process.methods("queue").filter((method) => method === "ack")).toHaveLength(1);
  gate.open();
  expect(await stage.pulse.within(1_000, answer)).toEqual({ batchItemFailures: [] });
});

test("the sweeper returns its counts, and empties the dead-letter queue", async () => {
  const [stage, other] = [await open({ work: () => "done" }), await open({})];
  const actor = stage.actor();
  const ingress = ingressHandler(awsOf(actor));
  await stage.pulse.within(100, ingress(request("POST", "/S/work/send"), MINUTES));
  const [lost] = await stage.pulse.within(0, stage.stores.queue.receive(10, 1_000, 0));
  await stage.stores.queue.ack(lost!.receipt);
  await other.stores.queue.send(lost!.wake);
  const sweeper = sweeperHandler({ ...awsOf(actor), deadLetters: other.stores.queue });
  expect(await stage.pulse.within(1_000, sweeper({}, MINUTES))).toEqual({
    swept: { woken: 0, extended: 0 },
    letters: { driven: 1, paused: 0 },
  });
});

test("with `everything`, the sweeper wakes at once an invocation that lost its message a moment ago", async () => {
  const stage = await open({ work: () => "done" });
  const [sender, worker] = [stage.actor(), stage.actor()];
  await stage.pulse.within(100, ingressHandler(awsOf(sender))(request("POST", "/S/work/send"), MINUTES));
  const [lost] = await stage.pulse.within(0, stage.stores.queue.receive(10, 1_000, 0));
  await stage.stores.queue.ack(lost!.receipt);
  const sweeper = sweeperHandler(awsOf(stage.actor()));
  expect(await stage.pulse.within(1_000, sweeper({}, MINUTES))).toMatchObject({ swept: { woken: 0 } });
  expect(await stage.pulse.within(1_000, sweeper({ everything: true }, MINUTES))).toMatchObject({
    swept: { woken: 1 },
  });
  await stage.pulse.within(1_000, workerHandler(awsOf(worker))(await nextEvent(stage), MINUTES));
  expect(stage.deployment.attempts).toHaveLength(1);
});
