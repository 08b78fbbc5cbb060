/** Invocations of a first deployment in every state in which an operator may meet them, beside a second deployment with fixed code. */
import { adminApp } from "../../../shared/api/admin/admin-app.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { freshId } from "../../../shared/engine/accept/invocation-ids.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { invocationUseCases } from "../../../shared/wiring/use-cases.ts";
import { deployment, deploymentId, service } from "../../core/registry/sample-deployment.ts";
import { type Actor, type Stage, sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { AttemptFails, type Handler } from "../../harness/engine/script-context.ts";
import { ScriptState } from "../../harness/engine/script-state.ts";
import type { stages } from "../../harness/engine/stages.ts";

export type OpenStage = ReturnType<typeof stages>;

const FAR_MS = 500_000;
export const [FIRST, SECOND] = [deploymentId(1), deploymentId(2)];

/** How an invocation comes to rest, the status there, and whether the first deployment is its own by then. */
export const STATES = {
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
export type State = keyof typeof STATES;

export interface Scene {
  readonly stage: Stage;
  readonly actor: Actor;
  readonly id: InvocationId;
  readonly gate: Gate;
}

/** The address of the last attempt. */
export const hostOf = (stage: Stage) => {
  const { destination } = stage.deployment.attempts.at(-1)!;
  return "uri" in destination ? destination.uri : destination.arn;
};

export async function play(open: OpenStage, state: State): Promise<Scene> {
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

/** The answer of the admin API. @param target the path, and the query after a question mark */
export async function askAdmin({ stage, actor }: Scene, method: string, target: string, body = "") {
  const app = adminApp(actor.engine, {
    version: "1",
    runsOn: "one-process",
    metricsText: async () => "",
    invocations: invocationUseCases,
  });
  const [path = "", query = ""] = target.split("?");
  const headers = { "content-type": "application/json" };
  const request = { method, path, query, headers, body: new TextEncoder().encode(body) };
  const answer = await stage.pulse.within(2_000, app(request));
  return { status: answer.status, text: new TextDecoder().decode(answer.body) };
}
