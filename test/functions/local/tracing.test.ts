/** Tests that the local process sends its traces to a real OTLP receiver. The called deployment uses the real SDK. */
import { beforeEach, expect, test } from "vitest";
import { openReceiver, type OtlpReceiver } from "../../adapters/tracing/otlp-receiver.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { openStage, type ErrorStage } from "../../errors/stage.ts";
import { startTraced, type TracedDeployment } from "./traced-services.ts";
import { fetch } from "../../harness/local/admin-access.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER_SPAN_ID = "b7ad6b7169203331";
const TRACEPARENT = `00-${TRACE_ID}-${CALLER_SPAN_ID}-01`;
const ROOT = "";
/** The longest that a stop waits for the collector; it ends earlier once the collector has answered. */
const PATIENT_STOP = { "shutdown-timeout": "20s" };

let deployment: TracedDeployment;
let receiver: OtlpReceiver;
beforeEach(async () => {
  deployment = await startTraced();
  receiver = await openReceiver();
});

async function openTraced(settings: Parameters<typeof openStage>[0] = {}): Promise<ErrorStage> {
  const stage = await openStage({ "tracing-endpoint": receiver.uri, ...PATIENT_STOP, ...settings });
  await stage.register(deployment.uri);
  return stage;
}

async function ask(stage: ErrorStage, path: string, input: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${stage.local.ingressUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: JSON.parse((await response.text()) || "null") as unknown };
}

/** The traceparents of the attempts of one handler, in the order of their numbers, as the deployment gets them. */
async function traceparents(name: string, count: number): Promise<string[]> {
  const attempts = await receiver.seen(`invocation-attempt ${name}`, count);
  return attempts
    .toSorted(
      (a, b) => Number(a.attributes["stepwell.attempt.number"]) - Number(b.attributes["stepwell.attempt.number"]),
    )
    .map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
}

test("a call and its child are below the caller's span, and each attempt carries its own span to the deployment", async () => {
  const stage = await openTraced();
  const answer = await ask(stage, "Outer/greet", " you ", { traceparent: TRACEPARENT });
  expect(answer).toEqual({ status: 200, body: "hello you" });
  const outer = await traceparents("Outer/greet", deployment.told.outer.length);
  const inner = await traceparents("Inner/greet", 1);
  await receiver.seen("ingress Outer/greet");
  expect(receiver.tree(CALLER_SPAN_ID)).toEqual([
    "ingress Outer/greet",
    "  invocation-start Outer/greet",
    ...outer.slice(1).map(() => "    invocation-attempt Outer/greet"),
    "    invocation-attempt Outer/greet",
    "      invocation-start Inner/greet",
    "        invocation-attempt Inner/greet",
    "        invocation-end Inner/greet",
    "    invocation-end Outer/greet",
  ]);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
  expect([deployment.told.outer, deployment.told.inner]).toEqual([outer, inner]);
  for (const { startedAtMs, endedAtMs } of receiver.spans) expect(startedAtMs).toBeLessThanOrEqual(endedAtMs);
});

test("a call without a traceparent begins a trace, and the admin API shows its id", async () => {
  const stage = await openTraced();
  const id = await stage.send("Outer/unwell");
  await stage.result(id);
  const [invocation] = await receiver.seen("invocation-end Outer/unwell");
  expect(receiver.tree(ROOT)).toEqual([
    "ingress Outer/unwell",
    "  invocation-start Outer/unwell",
    "    invocation-attempt Outer/unwell",
    "    invocation-attempt Outer/unwell",
    "    invocation-end Outer/unwell",
  ]);
  const asked = await fetch(`${stage.local.adminUrl}query`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ query: `SELECT id, trace_id FROM sys_invocation WHERE id = '${id}'` }),
  });
  const { rows } = (await asked.json()) as { rows: unknown };
  expect(rows).toEqual([{ id, trace_id: invocation!.traceId }]);
});

test("each span shows in its status and its attributes how its request, attempt or invocation ended", async () => {
  const stage = await openTraced();
  const id = await stage.send("Outer/unwell");
  await stage.result(id);
  const [deploymentId] = ((await stage.admin("GET", "deployments")).body["deployments"] as { id: string }[]).map(
    (one) => one.id,
  );
  await receiver.seen("invocation-end Outer/unwell");
  const of = {
    "rpc.service": "Outer",
    "rpc.method": "unwell",
    "restate.invocation.id": id,
    "restate.invocation.target": "Outer/unwell",
  };
  const attempt = {
    ...of,
    "rpc.system": "restate",
    "restate.deployment.id": deploymentId,
    "restate.deployment.service_protocol_version": expect.stringMatching(/^[0-9]$/) as string,
  };
  const told = receiver.spans.map(({ name, status, attributes }) => ({ name, status, attributes }));
  expect(told).toEqual(
    expect.arrayContaining([
      { name: "ingress Outer/unwell", status: 0, attributes: { ...of, "http.response.status_code": 202 } },
      {
        name: "invocation-attempt Outer/unwell",
        status: 2,
        attributes: {
          ...attempt,
          "stepwell.attempt.number": 1,
          "stepwell.attempt.ending": "failed",
          "error.type": "RT0007",
        },
      },
      {
        name: "invocation-attempt Outer/unwell",
        status: 0,
        attributes: { ...attempt, "stepwell.attempt.number": 2, "stepwell.attempt.ending": "ended" },
      },
      {
        name: "invocation-start Outer/unwell",
        status: 0,
        attributes: { ...of, "stepwell.invocation.source": "ingress" },
      },
      {
        name: "invocation-end Outer/unwell",
        status: 0,
        attributes: { ...of, "restate.invocation.result": "success" },
      },
    ]),
  );
  expect(told).toHaveLength(5);
});

test("attempts before and after a restart of the process are below one invocation", async () => {
  const dir = await temporaryDirectory();
  const first = await openTraced({ "data-dir": dir });
  const id = await first.send("Outer/waiter");
  await expect.poll(() => deployment.told.waiter.length).toBe(1);
  await first.local.stop();
  expect(receiver.spans.map(({ name }) => name).toSorted()).toEqual([
    "ingress Outer/waiter",
    "invocation-attempt Outer/waiter",
    "invocation-start Outer/waiter",
  ]);
  const second = await openStage({ "tracing-endpoint": receiver.uri, ...PATIENT_STOP, "data-dir": dir });
  const completed = await ask(second, `restate/awakeables/${deployment.awakeables[0]}/resolve`, "woken");
  expect(completed.status).toBe(202);
  expect(await second.result(id)).toBe('200 "woken"');
  await second.local.stop();
  const attempts = deployment.told.waiter.map(() => "    invocation-attempt Outer/waiter");
  const [start, end] = ["  invocation-start Outer/waiter", "    invocation-end Outer/waiter"];
  expect(receiver.tree(ROOT)).toEqual(["ingress Outer/waiter", start, ...attempts, end]);
  expect(attempts.length).toBeGreaterThan(1);
  await removeDirectory(dir);
});

test("a killed invocation has its end as well, marked as killed", async () => {
  const stage = await openTraced();
  const id = await stage.send("Outer/waiter");
  await expect.poll(() => deployment.told.waiter.length).toBe(1);
  expect((await stage.admin("PATCH", `invocations/${id}/kill`)).status).toBe(200);
  const [killed] = await receiver.seen("invocation-end Outer/waiter");
  expect(killed).toMatchObject({
    status: 2,
    attributes: { "restate.invocation.result": "failure", "stepwell.invocation.killed": true },
  });
  expect(await receiver.seen("invocation-start Outer/waiter")).toHaveLength(1);
});

test("an unsampled trace of the caller is continued, and nothing is recorded", async () => {
  const stage = await openTraced();
  await ask(stage, "Outer/greet", "you", { traceparent: `00-${TRACE_ID}-${CALLER_SPAN_ID}-00` });
  await ask(stage, "Inner/greet", "me");
  await receiver.seen("invocation-end Inner/greet");
  expect(receiver.spans.filter(({ traceId }) => traceId === TRACE_ID)).toEqual([]);
  for (const told of [...deployment.told.outer, deployment.told.inner[0]]) {
    expect(told).toMatch(new RegExp(`^00-${TRACE_ID}-(?!${CALLER_SPAN_ID})[0-9a-f]{16}-00$`));
  }
});

test("a stop sends the spans that are left", async () => {
  const stage = await openTraced();
  await ask(stage, "Inner/greet", "you");
  await stage.local.stop();
  expect(receiver.tree(ROOT)).toEqual([
    "ingress Inner/greet",
    "  invocation-start Inner/greet",
    "    invocation-attempt Inner/greet",
    "    invocation-end Inner/greet",
  ]);
});

test("a missing collector fails no call, and is logged once", async () => {
  // Port 1 has no listener.
  const stage = await openTraced({ "tracing-endpoint": "http://127.0.0.1:1" });
  for (let n = 0; n < 3; n++) expect((await ask(stage, "Inner/greet", "you")).status).toBe(200);
  const warnings = () => stage.log.lines.filter(({ level }) => level === "warn");
  await expect.poll(() => warnings().length).toBe(1);
  expect((await ask(stage, "Inner/greet", "you")).status).toBe(200);
  await stage.local.stop();
  expect(warnings()).toHaveLength(1);
});

test("an object handler has {key} in the names of its spans, and its key in the target", async () => {
  const stage = await openTraced();
  expect((await ask(stage, "Keyed/a b/hold", "you")).status).toBe(200);
  const [end] = await receiver.seen("invocation-end Keyed/{key}/hold");
  expect(end!.attributes["restate.invocation.target"]).toBe("Keyed/a b/hold");
  expect(receiver.tree(ROOT)[0]).toBe("ingress Keyed/{key}/hold");
});

test("a send begins a trace of its own, with a link to the attempt that sent it", async () => {
  const stage = await openTraced();
  await ask(stage, "Outer/sender", "you", { traceparent: TRACEPARENT });
  const [start] = await receiver.seen("invocation-start Inner/greet");
  await receiver.seen("invocation-end Inner/greet");
  const [attempt] = await receiver.seen("invocation-attempt Outer/sender");
  expect(start).toMatchObject({ parentSpanId: ROOT, links: [`${TRACE_ID} ${attempt!.spanId}`] });
  expect(start!.traceId).not.toBe(TRACE_ID);
  expect(receiver.tree(start!.spanId)).toEqual(["invocation-attempt Inner/greet", "invocation-end Inner/greet"]);
});

test("an invocation that is killed before its first attempt has a start and an end", async () => {
  const stage = await openTraced();
  const sent = await ask(stage, "Inner/greet/send?delay=1h", "you");
  const { invocationId } = sent.body as { invocationId: string };
  expect((await stage.admin("PATCH", `invocations/${invocationId}/kill`)).status).toBe(200);
  await receiver.seen("invocation-end Inner/greet");
  // The route and the worker that gets the order may both end the invocation, in one millisecond with the same bytes. Their spans have
  // the same ids, so that a collector has each once.
  expect([...new Set(receiver.tree(ROOT))]).toEqual([
    "ingress Inner/greet",
    "  invocation-start Inner/greet",
    "    invocation-end Inner/greet",
  ]);
});

test("the start of an invocation is sent while its first attempt runs", async () => {
  const stage = await openTraced();
  await stage.send("Outer/waiter");
  await receiver.seen("invocation-start Outer/waiter");
  expect(receiver.spans.map(({ name }) => name)).not.toContain("invocation-end Outer/waiter");
});
