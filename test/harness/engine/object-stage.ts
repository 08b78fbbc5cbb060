/** Helpers for objects and workflows: services with given handler names, functions that call and send, handlers that count. */
import type { Service } from "../../../shared/core/model/service.ts";
import { call } from "../../../shared/engine/ingress/call.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import type { Ended, Sent, Submission } from "../../../shared/engine/ports/submission.ts";
import { handler, service } from "../../core/registry/sample-deployment.ts";
import type { Actor } from "./engine-fixture.ts";
import type { Handler } from "./script-context.ts";
import { ScriptState } from "./script-state.ts";

/** @param exclusive exclusive handlers of object `O` @param shared its shared handlers */
export function objectOf(exclusive: readonly string[], shared: readonly string[] = []): Service {
  return service("O", [], {
    type: "object",
    handlers: [
      ...exclusive.map((name) => handler(name, { type: "exclusive" })),
      ...shared.map((name) => handler(name, { type: "shared" })),
    ],
  });
}

/** @param shared the shared handlers of workflow `W` */
export function workflowOf(shared: readonly string[] = []): Service {
  return service("W", [], {
    type: "workflow",
    handlers: [handler("run", { type: "workflow" }), ...shared.map((name) => handler(name, { type: "shared" }))],
  });
}

export function keyed(serviceName: string, key: string, handlerName: string, input = ""): Submission {
  const target = { service: serviceName, key, handler: handlerName };
  return { target, input: new TextEncoder().encode(input), headers: [] };
}

export async function callKeyed({ engine }: Actor, submission: Submission): Promise<Ended> {
  const ended = await call(engine, submission);
  if (ended.kind !== "ended") throw new Error(`the call was refused: ${ended.kind}`);
  return ended;
}

export async function sendKeyed({ engine }: Actor, submission: Submission): Promise<Sent> {
  const sent = await send(engine, submission);
  if (sent.kind !== "sent") throw new Error(`the send was refused: ${sent.kind}`);
  return sent;
}

/** Adds its input to the count of its key. */
export const addCount: Handler = (ctx) => {
  const state = new ScriptState(ctx);
  const count = Number(state.get("count") ?? "0") + Number(ctx.input);
  state.set("count", String(count));
  return String(count);
};
/** Returns the count of its key, as text. */
export const getCount: Handler = (ctx) => new ScriptState(ctx).get("count") ?? "nothing";
