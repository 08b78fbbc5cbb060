/** Finds the handler that a subscription names as its sink, or the reason why it can get no record now. */
import { CodedError } from "../../core/errors/coded-error.ts";
import type { Route } from "../../core/model/deployment.ts";
import { parseSink } from "../../core/registry/subscription.ts";
import type { Engine } from "../engine.ts";
import { deprecation } from "../ports/protocol-range.ts";

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
