/** Deployments and what they offer: the latest revision of each service serves new invocations. */
import type { Invocation, Kind, Name, Target } from "./words.ts";

export interface ServiceOffer {
  readonly type: "service" | "object" | "workflow";
  readonly handlers: Readonly<Record<string, Kind>>;
  /** How long the result of an idempotent request, a journal, and the result of a workflow are kept. */
  readonly idempotencyMs: number;
  readonly journalMs: number;
  readonly workflowMs: number;
}

/** The handlers that a deployment offers, by service. */
export type Code = Readonly<Record<string, ServiceOffer>>;

export interface Deployment {
  readonly name: Name;
  readonly uri: string;
  readonly code: Code;
  readonly revisions: Readonly<Record<string, number>>;
}

/** Records of the source become invocations of the sink, unless an operator holds the subscription. */
export interface Subscription {
  readonly name: Name;
  readonly source: string;
  readonly sink: string;
  readonly isHeld: boolean;
}

export interface Catalogue {
  readonly deployments: readonly Deployment[];
  /** The clusters from which subscriptions may read, by name. */
  readonly clusters: readonly string[];
  readonly subscriptions: readonly Subscription[];
}

export interface Route {
  readonly kind: Kind;
  readonly service: ServiceOffer;
}

/** The deployment with the highest revision of a service; among equal ones, the youngest deployment. */
export function latestOf({ deployments }: Catalogue, service: string): Deployment | undefined {
  let latest: Deployment | undefined;
  for (const one of deployments)
    if (one.revisions[service] !== undefined && one.revisions[service] >= (latest?.revisions[service] ?? 0))
      latest = one;
  return latest;
}

export function deploymentNamed({ deployments }: Catalogue, name: Name): Deployment | undefined {
  return deployments.find((one) => one.name === name);
}

/** The deployment on which an invocation runs now: the one on which it goes on, if that still offers its handler, else the latest. */
export function runsOn(catalogue: Catalogue, { target, deployment }: Pick<Invocation, "target" | "deployment">) {
  const { service, handler } = target;
  const one = deployment === undefined ? latestOf(catalogue, service) : deploymentNamed(catalogue, deployment);
  return one?.code[service]?.handlers[handler] === undefined ? undefined : one;
}

export function routeOf(catalogue: Catalogue, { service, handler }: Target): Route | undefined {
  const deployment = latestOf(catalogue, service);
  const offer = deployment?.code[service];
  const kind = offer?.handlers[handler];
  return offer && kind && { kind, service: offer };
}

/**
 * Results of requests that callers outside can find again are kept for the idempotency retention, those of workflows for
 * the workflow retention, others as long as the journal. A journal is never kept longer than the result.
 */
export function retentionOf({ kind, service }: Route, isFound: boolean): { keptMs: number; journalKeptMs: number } {
  const usual = isFound ? service.idempotencyMs : service.journalMs;
  const keptMs = kind === "workflow" ? service.workflowMs : usual;
  return { keptMs, journalKeptMs: Math.min(service.journalMs, keptMs) };
}
