/** Removal of deployments: what prevents it, what force leaves behind, and which deployment serves afterwards. */
import { expect, test } from "vitest";
import {
  end,
  error,
  output,
  replying,
  startFrameDeployment,
  step,
  type FrameDeployment,
  type Script,
} from "./frame-deployment.ts";
import { openStage, type ErrorStage } from "./stage.ts";
import { fetch } from "../harness/local/admin-access.ts";

const PINNING = replying(step(), error(500, "not yet"));

interface Registered {
  readonly stage: ErrorStage;
  readonly deployment: FrameDeployment;
  readonly id: string;
}

async function registered(script?: Script, settings: Parameters<typeof openStage>[0] = {}): Promise<Registered> {
  const stage = await openStage(settings);
  const deployment = await startFrameDeployment(script);
  const { body } = await stage.register(deployment.uri);
  return { stage, deployment, id: String(body["id"]) };
}

async function revisionOf(stage: ErrorStage): Promise<unknown> {
  const { body } = await stage.admin("GET", "services/Greeter");
  return [body["revision"], body["deployment_id"]];
}

test("a deployment to which nothing is pinned is removed at once, and its services with it", async () => {
  const { stage, id } = await registered();
  expect((await fetch(`${stage.local.ingressUrl}Greeter/greet`, { method: "POST" })).status).toBe(200);
  expect((await stage.admin("DELETE", `deployments/${id}`)).status).toBe(202);
  expect((await stage.admin("GET", `deployments/${id}`)).status).toBe(404);
  expect((await stage.admin("GET", "services")).body["services"]).toEqual([]);
  expect((await fetch(`${stage.local.ingressUrl}Greeter/greet`, { method: "POST" })).status).toBe(404);
  expect((await stage.admin("DELETE", `deployments/${id}`)).status).toBe(404);
});

test.each([
  ["is parked", "0s"],
  ["waits in its driver", "1h"],
])(
  "a deployment is not removed while an invocation pinned to it %s, and the refusal has the count and the remedies",
  async (_how, wait) => {
    const retries = { "default-retry-policy.initial-interval": "10m", "default-retry-policy.max-interval": "10m" };
    const { stage, id } = await registered(PINNING, { "worker.wait-in-driver": wait, ...retries });
    const invocations = [await stage.send("Greeter/greet"), await stage.send("Greeter/greet")];
    for (const one of invocations) await stage.lastFailure(one, "RT0007");
    const { status, body } = await stage.admin("DELETE", `deployments/${id}`);
    expect([status, body.restate_code]).toEqual([409, null]);
    expect(body.message).toMatch(/has 2 open invocations pinned to it.*force=true/);
    for (const one of invocations) expect((await stage.admin("PATCH", `invocations/${one}/kill`)).status).toBe(200);
    const removed = async () => (await stage.admin("DELETE", `deployments/${id}`)).status;
    await expect.poll(removed).toBe(202);
  },
);

test("an invocation that is pinned to a deployment removed by force fails with RT0011", async () => {
  const { stage, id } = await registered(PINNING);
  const invocationId = await stage.send("Greeter/greet");
  await stage.lastFailure(invocationId, "RT0007");
  expect((await stage.admin("DELETE", `deployments/${id}?force=true`)).status).toBe(202);
  await stage.lastFailure(invocationId, "RT0011");
});

async function sendLater(stage: ErrorStage): Promise<string> {
  const answer = await fetch(`${stage.local.ingressUrl}Greeter/greet/send?delay=1h`, { method: "POST" });
  return ((await answer.json()) as { invocationId: string }).invocationId;
}

/** An attempt that stores no entry pins its invocation to no deployment. */
async function sendFailing(stage: ErrorStage): Promise<string> {
  const invocationId = await stage.send("Greeter/greet");
  await stage.lastFailure(invocationId, "RT0007");
  return invocationId;
}

test.each([
  ["is scheduled", sendLater],
  ["backs off and is pinned to no deployment", sendFailing],
])(
  "while an invocation of a service %s, the only deployment of the service is not removed before another one is registered",
  async (_, send) => {
    const retries = { "default-retry-policy.initial-interval": "10m", "default-retry-policy.max-interval": "10m" };
    const { stage, id } = await registered(replying(error(500, "not yet")), {
      "worker.wait-in-driver": "0s",
      ...retries,
    });
    const sent = await send(stage);
    const { status, body } = await stage.admin("DELETE", `deployments/${id}`);
    expect([status, body.restate_code]).toEqual([409, null]);
    expect(body.message).toMatch(
      /alone serves 1 open invocation of Greeter\. Register another deployment of Greeter, .*cancel or kill.*force=true/,
    );
    const other = await startFrameDeployment();
    const { body: second } = await stage.register(other.uri);
    expect((await stage.admin("DELETE", `deployments/${id}`)).status).toBe(202);
    const remove = async () => (await stage.admin("DELETE", `deployments/${String(second["id"])}`)).status;
    expect(await remove()).toBe(409);
    expect((await stage.admin("PATCH", `invocations/${sent}/kill`)).status).toBe(200);
    await expect.poll(remove).toBe(202);
  },
);

test("an invocation that is pinned elsewhere does not prevent the removal", async () => {
  const { stage, id } = await registered(PINNING);
  const newer = await startFrameDeployment(PINNING);
  await stage.register(newer.uri);
  const pinnedElsewhere = await stage.send("Greeter/greet");
  await stage.lastFailure(pinnedElsewhere, "RT0007");
  expect((await stage.admin("GET", "deployments")).body["deployments"]).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ id, status: "drained" }),
      expect.objectContaining({ status: "active" }),
    ]),
  );
  expect((await stage.admin("DELETE", `deployments/${id}`)).status).toBe(202);
});

test("revisions count from one, and removing the newest brings back the one before", async () => {
  const { stage, id: first } = await registered();
  const newer = await startFrameDeployment(replying(output("newer"), end()));
  const { body } = await stage.register(newer.uri);
  expect(await revisionOf(stage)).toEqual([2, body["id"]]);
  expect((await stage.admin("DELETE", `deployments/${String(body["id"])}`)).status).toBe(202);
  expect(await revisionOf(stage)).toEqual([1, first]);
  const call = await fetch(`${stage.local.ingressUrl}Greeter/greet`, { method: "POST" });
  expect(await call.text()).toBe("hello");
  await stage.register(newer.uri);
  expect((await revisionOf(stage)) as unknown[]).toEqual([2, expect.any(String)]);
});
