/** Tests that the local process sends its traces to a real OTLP receiver. The called deployment uses the real SDK. */
import { beforeEach, expect, test } from "vitest";
import { openReceiver } from "../../adapters/tracing/otlp-receiver.ts";
import type { OtlpReceiver } from "../../adapters/tracing/otlp-receiver.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { openStage } from "../../errors/stage.ts";
import type { ErrorStage } from "../../errors/stage.ts";
import { startTraced } from "./traced-services.ts";
import type { TracedDeployment } from "./traced-services.ts";

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
  const attempts = await receiver.seen(`attempt ${name}`, count);
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
    "  Outer/greet",
    "    Inner/greet",
    "      attempt Inner/greet",
    ...outer.map(() => "    attempt Outer/greet"),
  ]);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
  expect([deployment.told.outer, deployment.told.inner]).toEqual([outer, inner]);
  for (const { startedAtMs, endedAtMs } of receiver.spans) expect(startedAtMs).toBeLessThanOrEqual(endedAtMs);
});

test("a call without a traceparent begins a trace, and the admin API shows its id", async () => {
  const stage = await openTraced();
  const id = await stage.send("Outer/unwell");
  await stage.result(id);
  const [invocation] = await receiver.seen("Outer/unwell");
  expect(receiver.tree(ROOT)).toEqual([
    "ingress Outer/unwell",
    "  Outer/unwell",
    "    attempt Outer/unwell",
    "    attempt Outer/unwell",
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
  await receiver.seen("Outer/unwell");
  const of = { "stepwell.invocation.id": id, "stepwell.service": "Outer", "stepwell.handler": "unwell" };
  const attempt = { ...of, "stepwell.deployment.id": deploymentId };
  const told = receiver.spans.map(({ name, status, attributes }) => ({ name, status, attributes }));
  expect(told).toEqual(
    expect.arrayContaining([
      { name: "ingress Outer/unwell", status: 0, attributes: { ...of, "http.response.status_code": 202 } },
      {
        name: "attempt Outer/unwell",
        status: 2,
        attributes: {
          ...attempt,
          "stepwell.attempt.number": 1,
          "stepwell.attempt.ending": "failed",
          "error.type": "RT0007",
        },
      },
      {
        name: "attempt Outer/unwell",
        status: 0,
        attributes: { ...attempt, "stepwell.attempt.number": 2, "stepwell.attempt.ending": "ended" },
      },
      {
        name: "Outer/unwell",
        status: 0,
        attributes: { ...of, "stepwell.invocation.source": "ingress", "stepwell.invocation.result": "success" },
      },
    ]),
  );
  expect(told).toHaveLength(4);
});

test("attempts before and after a restart of the process are below one invocation", async () => {
  const dir = await temporaryDirectory();
  const first = await openTraced({ "data-dir": dir });
  const id = await first.send("Outer/waiter");
  await expect.poll(() => deployment.told.waiter.length).toBe(1);
  await first.local.stop();
  expect(receiver.spans.map(({ name }) => name).toSorted()).toEqual(["attempt Outer/waiter", "ingress Outer/waiter"]);
  const second = await openStage({ "tracing-endpoint": receiver.uri, ...PATIENT_STOP, "data-dir": dir });
  const completed = await ask(second, `restate/awakeables/${deployment.awakeables[0]}/resolve`, "woken");
  expect(completed.status).toBe(202);
  expect(await second.result(id)).toBe('200 "woken"');
  await second.local.stop();
  const attempts = deployment.told.waiter.map(() => "    attempt Outer/waiter");
  expect(receiver.tree(ROOT)).toEqual(["ingress Outer/waiter", "  Outer/waiter", ...attempts]);
  expect(attempts.length).toBeGreaterThan(1);
  await removeDirectory(dir);
});

test("a killed invocation has its span as well, with the result killed", async () => {
  const stage = await openTraced();
  const id = await stage.send("Outer/waiter");
  await expect.poll(() => deployment.told.waiter.length).toBe(1);
  expect((await stage.admin("PATCH", `invocations/${id}/kill`)).status).toBe(200);
  const [killed] = await receiver.seen("Outer/waiter");
  expect(killed).toMatchObject({ status: 2, attributes: { "stepwell.invocation.result": "killed" } });
});

test("an unsampled trace of the caller is continued, and nothing is recorded", async () => {
  const stage = await openTraced();
  await ask(stage, "Outer/greet", "you", { traceparent: `00-${TRACE_ID}-${CALLER_SPAN_ID}-00` });
  await ask(stage, "Inner/greet", "me");
  await receiver.seen("Inner/greet");
  expect(receiver.spans.filter(({ traceId }) => traceId === TRACE_ID)).toEqual([]);
  for (const told of [...deployment.told.outer, deployment.told.inner[0]]) {
    expect(told).toMatch(new RegExp(`^00-${TRACE_ID}-(?!${CALLER_SPAN_ID})[0-9a-f]{16}-00$`));
  }
});

test("a stop sends the spans that are left", async () => {
  const stage = await openTraced();
  await ask(stage, "Inner/greet", "you");
  await stage.local.stop();
  expect(receiver.tree(ROOT)).toEqual(["ingress Inner/greet", "  Inner/greet", "    attempt Inner/greet"]);
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
