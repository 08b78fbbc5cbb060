/** Every choice of a deployment for every state that can be resumed: the answer of the admin API, and where the invocation goes on. */
import { describe, expect, test } from "vitest";
import { adminApp } from "../../shared/api/admin/admin-app.ts";
import type { InvocationId } from "../../shared/core/model/ids.ts";
import { encodeAwakeableId } from "../../shared/core/protocol/awakeable-id.ts";
import { freshId } from "../../shared/engine/accept/invocation-ids.ts";
import { completeAwakeable } from "../../shared/engine/effects/perform.ts";
import { inspect } from "../../shared/engine/operate/inspect.ts";
import { pause } from "../../shared/engine/operate/pause.ts";
import { writeDeployment } from "../../shared/engine/register/registry-items.ts";
import { invocationUseCases } from "../../shared/wiring/use-cases.ts";
import { deployment, deploymentId, service } from "../core/registry/sample-deployment.ts";
import { type Actor, type Stage, sendOn } from "../harness/engine/engine-fixture.ts";
import { Gate } from "../harness/engine/gate.ts";
import { keyed, objectOf, sendKeyed } from "../harness/engine/object-stage.ts";
import { AttemptFails, type Handler } from "../harness/engine/script-context.ts";
import { ScriptState } from "../harness/engine/script-state.ts";
import { stages } from "../harness/engine/stages.ts";

const open = stages();
const FAR_MS = 500_000;
const [FIRST, SECOND] = [deploymentId(1), deploymentId(2)];

/** How an invocation comes to rest, the status there, and whether the first deployment is its own by then. */
const STATES = {
  "paused, nothing recorded": { status: "paused", ownFirst: false },
  "paused after an awakeable": { status: "paused", ownFirst: false },
  "paused after reading its state": { status: "paused", ownFirst: true },
  "paused after a step": { status: "paused", ownFirst: true },
  "paused by an order before its first attempt": { status: "paused", ownFirst: false },
  "backing off, nothing recorded": { status: "backing-off", ownFirst: false },
  "backing off after a step": { status: "backing-off", ownFirst: true },
  "suspended on an awakeable": { status: "suspended", ownFirst: false },
  "suspended after a step": { status: "suspended", ownFirst: true },
  "running, nothing recorded": { status: "running", ownFirst: false },
  scheduled: { status: "scheduled", ownFirst: false },
  completed: { status: "completed", ownFirst: true },
  unknown: { status: "unknown", ownFirst: false },
} as const;
type State = keyof typeof STATES;

const CHOICES = {
  keep: "",
  latest: "?deployment=latest",
  "the second id": `?deployment=${SECOND}`,
  "the first id": `?deployment=${FIRST}`,
};
type Choice = keyof typeof CHOICES;

/** The HTTP status of a refusal, and words of its reason. */
const REFUSED: Partial<Record<State, (choice: Choice) => readonly [number, string] | undefined>> = {
  "running, nothing recorded": (choice) => (choice === "keep" ? undefined : [409, "is under way or about to begin"]),
  scheduled: () => [425, "has not begun: it is scheduled"],
  completed: () => [409, "is already completed"],
  unknown: () => [404, "does not exist"],
};

interface Scene {
  readonly stage: Stage;
  readonly actor: Actor;
  readonly id: InvocationId;
  readonly gate: Gate;
}

const hostOf = (stage: Stage) => {
  const { destination } = stage.deployment.attempts.at(-1)!;
  return "uri" in destination ? destination.uri : destination.arn;
};

async function play(state: State): Promise<Scene> {
  const gate = new Gate();
  const isBroken = () => hostOf(stage) === "http://host-1:9080/";
  const failAs = (behavior: 0 | 1): never => {
    throw new AttemptFails("bug of the first version", { behavior });
  };
  const afterStep =
    (then: () => void): Handler =>
    async (ctx) => {
      const one = await ctx.get(ctx.run("one", () => "1"));
      if (isBroken()) then();
      return one;
    };
  const handlers: Record<string, Handler> = {
    rests: () => (isBroken() ? failAs(1) : "fixed"),
    retries: () => (isBroken() ? failAs(0) : "fixed"),
    awaits: async (ctx) => {
      const value = await ctx.get(ctx.awakeable().result);
      return isBroken() ? failAs(1) : value;
    },
    reads: (ctx) => {
      new ScriptState(ctx).get("x");
      return isBroken() ? failAs(1) : "fixed";
    },
    restsLater: afterStep(() => failAs(1)),
    retriesLater: afterStep(() => failAs(0)),
    waits: (ctx) => ctx.get(ctx.awakeable().result),
    waitsLater: async (ctx) => (await ctx.get(ctx.run("one", () => "1"))) + (await ctx.get(ctx.awakeable().result)),
    gated: async () => (await gate.passed, "went on"),
    ends: () => "done",
  };
  const stage = await open(handlers, {
    services: [objectOf(["reads"])],
    retry: { initialIntervalMs: FAR_MS, maxIntervalMs: FAR_MS },
  });
  const actor = stage.actor();
  actor.startWorker();
  const id = await begin(stage, actor, state);
  await stage.pulse.pass(1_000);
  const offered = [service("S", Object.keys(handlers)), objectOf(["reads"])].map((one) => ({ ...one, revision: 2 }));
  await writeDeployment(stage.stores.meta, "", deployment(2, offered), 1);
  await stage.pulse.pass(2_000);
  return { stage, actor, id, gate };
}

async function begin(stage: Stage, actor: Actor, state: State): Promise<InvocationId> {
  const { pulse } = stage;
  const sent = async (handler: string, more = {}) => (await sendOn(actor, handler, "", more)).invocationId;
  switch (state) {
    case "paused, nothing recorded":
      return await sent("rests");
    case "paused after an awakeable":
      return await resolved(stage, actor, await sent("awaits"));
    case "paused after reading its state":
      return (await pulse.during(sendKeyed(actor, keyed("O", "k", "reads")))).invocationId;
    case "paused after a step":
      return await sent("restsLater");
    case "paused by an order before its first attempt": {
      const id = await sent("ends", { startAtMs: pulse.nowMs() + 2_500 });
      await pulse.within(500, pause(actor.engine, id));
      return id;
    }
    case "backing off, nothing recorded":
      return await sent("retries");
    case "backing off after a step":
      return await sent("retriesLater");
    case "suspended on an awakeable":
      return await sent("waits");
    case "suspended after a step":
      return await sent("waitsLater");
    case "running, nothing recorded":
      return await sent("gated");
    case "scheduled":
      return await sent("ends", { startAtMs: pulse.nowMs() + FAR_MS });
    case "completed":
      return await sent("ends");
    case "unknown":
      return freshId(actor.engine);
  }
}

/** Lets the awakeable of the last attempt complete. */
async function resolved(stage: Stage, actor: Actor, id: InvocationId): Promise<InvocationId> {
  await stage.pulse.pass(500);
  const awakeable = encodeAwakeableId(stage.deployment.attempts[0]!.start.id, 17);
  const value = new TextEncoder().encode("42");
  await stage.pulse.within(500, completeAwakeable(actor.engine, awakeable, { kind: "success", value }));
  return id;
}

async function ask({ stage, actor, id }: Scene, door: "alone" | "in bulk", choice: Choice) {
  const app = adminApp(actor.engine, {
    version: "1",
    runsOn: "one-process",
    metricsText: async () => "",
    invocations: invocationUseCases,
  });
  const deploymentChoice = new URLSearchParams(CHOICES[choice]).get("deployment");
  const alone = { method: "PATCH", path: `/invocations/${id}/resume`, query: CHOICES[choice].slice(1), body: "" };
  const batch = { invocation_ids: [id], ...(deploymentChoice !== null && { deployment: deploymentChoice }) };
  const inBulk = {
    method: "POST",
    path: "/internal/invocations_batch_operations/resume",
    query: "",
    body: JSON.stringify(batch),
  };
  const { body, ...request } = door === "alone" ? alone : inBulk;
  const headers = { "content-type": "application/json" };
  const answer = await stage.pulse.within(2_000, app({ ...request, headers, body: new TextEncoder().encode(body) }));
  const text = new TextDecoder().decode(answer.body);
  if (door === "alone") return { isDone: answer.status === 200, status: answer.status, text };
  const { failed } = JSON.parse(text) as { failed: { error: string }[] };
  return { isDone: failed.length === 0, status: undefined, text: failed[0]?.error ?? "" };
}

describe.each(Object.keys(STATES) as State[])("an invocation that is %s", (state) => {
  const rows = (Object.keys(CHOICES) as Choice[]).flatMap((choice) =>
    (["alone", "in bulk"] as const).map((door) => [choice, door] as const),
  );

  test.each(rows)("resumed on %s, %s, goes on there or says truly why not", async (choice, door) => {
    const scene = await play(state);
    const { stage, actor, id, gate } = scene;
    const { status, ownFirst } = STATES[state];
    const before = await inspect(actor.engine, id);
    expect([before?.status ?? "unknown", before?.pinnedDeploymentId !== undefined]).toEqual([status, ownFirst]);
    const attemptsBefore = stage.deployment.attempts.length;
    const answer = await ask(scene, door, choice);
    const refusal = REFUSED[state]?.(choice);
    expect([answer.isDone, answer.text]).toEqual([refusal === undefined, expect.stringContaining(refusal?.[1] ?? "")]);
    if (door === "alone") expect(answer.status).toBe(refusal?.[0] ?? 200);
    gate.open();
    await stage.pulse.pass(3_000);
    if (refusal !== undefined || status === "running") return;
    expect(stage.deployment.attempts.length).toBeGreaterThan(attemptsBefore);
    const goesOnFirst = choice === "the first id" || (choice === "keep" && ownFirst);
    expect(hostOf(stage)).toBe(`http://host-${goesOnFirst ? 1 : 2}:9080/`);
  });
});
