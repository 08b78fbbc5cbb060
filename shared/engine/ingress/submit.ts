/** Makes an acceptance from a submission: the registry finds the handler; the id follows from the key or is random. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { deadlinesFor } from "../../core/invocation/deadlines.ts";
import type { Route } from "../../core/model/deployment.ts";
import { CodedError } from "../../core/errors/coded-error.ts";
import { deprecation } from "../ports/protocol-range.ts";
import { newNonce } from "../accept/accept.ts";
import type { Engine } from "../engine.ts";
import { freshId, idempotentId, singletonPlace, workflowId } from "../accept/invocation-ids.ts";
import { retentionOf } from "../store/ttl.ts";
import type { SubmitRejection, Submission } from "../ports/submission.ts";

export interface Admitted {
  readonly kind: "acceptance";
  readonly acceptance: Acceptance;
  readonly route: Route;
  readonly slow: boolean;
}

export type Submitted = Admitted | SubmitRejection;

export async function submit(engine: Engine, submission: Submission): Promise<Submitted> {
  const { target, idempotencyKey, traceparent, createdBy, boundId, limitKey, options = {} } = submission;
  const routing = submission.routing ?? (await engine.registry.route(target.service, target.handler));
  if (!routing.found) return { kind: routing.missing === "service" ? "unknown-service" : "unknown-handler" };
  const { route } = routing;
  const deprecated = deprecation(engine.settings, route.deployment);
  if (deprecated !== undefined) return { kind: "deprecated", error: new CodedError("RT0020", deprecated) };
  const isRun = route.handler.type === "workflow";
  const startAtMs = options.debounceMs === undefined ? submission.startAtMs : engine.clock.nowMs() + options.debounceMs;
  const beginning = { createdAtMs: engine.clock.nowMs(), ...(startAtMs !== undefined && { startAtMs }) };
  const acceptance: Acceptance = {
    id: isRun
      ? workflowId(engine, target)
      : idempotencyKey === undefined
        ? freshId(engine)
        : (boundId ?? idempotentId(engine, target, idempotencyKey)),
    nonce: newNonce(engine),
    target,
    serviceType: route.service.type,
    handlerType: route.handler.type,
    input: submission.input,
    headers: submission.headers,
    source: { kind: "ingress" },
    ...beginning,
    ...deadlinesFor(options, route.settings, engine.settings.endGraceMs, beginning),
    // A caller over HTTP gets the id and may attach by it, so the result is kept as with an idempotency key.
    ...retentionOf(route.settings, true, route.handler.type),
    ...(idempotencyKey !== undefined && !isRun && { idempotencyKey }),
    ...(traceparent !== undefined && { traceparent }),
    ...(createdBy !== undefined && { createdBy }),
    ...(limitKey !== undefined && { limitKey }),
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(options.singleton !== undefined && {
      singleton: {
        key: options.singleton,
        place: singletonPlace(engine, target, options.singleton, submission.singletonOwner),
      },
    }),
  };
  return { kind: "acceptance", acceptance, route, slow: routing.slow === true };
}
