/** The handler that the records of a subscription invoke, and how long their invocations are kept. */
import { CodedError } from "../../core/errors/coded-error.ts";
import type { Route } from "../../core/model/deployment.ts";
import { parseSink } from "../../core/registry/subscription.ts";
import type { Engine } from "../engine.ts";
import { deprecation } from "../ports/protocol-range.ts";
import type { EffectiveSettings } from "../../core/model/service.ts";
import type { HandlerType } from "../../core/model/target.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import { retentionOf } from "../store/retention.ts";

export type SinkRoute =
  | { readonly kind: "route"; readonly route: Route }
  | { readonly kind: "blocked"; readonly reason: string };

/** A handler that is gone is no fault of the record: the subscription waits until the handler is registered again. */
export async function sinkRoute(engine: Engine, sink: string): Promise<SinkRoute> {
  const { service, handler } = parseSink(sink);
  const routing = await engine.registry.route(service, handler);
  if (!routing.found)
    return { kind: "blocked", reason: `the handler '${service}/${handler}' of the sink is not registered any more` };
  const deprecated = deprecation(engine.settings, routing.route.deployment);
  if (deprecated !== undefined) return { kind: "blocked", reason: new CodedError("RT0020", deprecated).message };
  return { kind: "route", route: routing.route };
}

/**
 * A batch may come again until its position is durable, and a process that dies before that write may stay down for
 * long. For a day, the kept end of the invocation prevents a second acceptance of its record; a run of a workflow keeps
 * the retention of workflows.
 */
export function topicRetention(
  settings: EffectiveSettings,
  handlerType: HandlerType,
): { completionRetentionMs: number; journalRetentionMs: number } {
  const kept = retentionOf(settings, false, handlerType);
  if (handlerType === "workflow") return kept;
  return { ...kept, completionRetentionMs: Math.max(kept.completionRetentionMs, DAY_MS) };
}
