/** Deployments and what they offer: the latest revision of each service serves new invocations. */
import type { Kind, Name, Target } from "./words.ts";

export interface HandlerOffer {
  readonly kind: Kind;
}

export interface ServiceOffer {
  readonly type: "service" | "object" | "workflow";
  readonly handlers: Readonly<Record<string, Kind>>;
  /** How long the result of an idempotent request, a journal, and the result of a workflow are kept. */
  readonly idempotencyMs: number;
  readonly journalMs: number;
  readonly workflowMs: number;
}

/** What a deployment offers, by service. */
export type Code = Readonly<Record<string, ServiceOffer>>;

export interface Deployment {
  readonly name: Name;
  readonly uri: string;
  readonly code: Code;
  readonly revisions: Readonly<Record<string, number>>;
}

export interface Catalogue {
  readonly deployments: readonly Deployment[];
}

export interface Route {
  readonly kind: Kind;
  readonly service: ServiceOffer;
  readonly deployment: Name;
}

/** The deployment with the highest revision of a service. */
export function latestOf({ deployments }: Catalogue, service: string): Deployment | undefined {
  let latest: Deployment | undefined;
  for (const one of deployments) if ((one.revisions[service] ?? 0) > (latest?.revisions[service] ?? 0)) latest = one;
  return latest;
}

export function routeOf(catalogue: Catalogue, { service, handler }: Target): Route | undefined {
  const deployment = latestOf(catalogue, service);
  const offer = deployment?.code[service];
  const kind = offer?.handlers[handler];
  return deployment && offer && kind && { kind, service: offer, deployment: deployment.name };
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
