/** Answers lookups in the registry. The table is built once per change, so that a lookup during a call allocates nothing. */
import type { Deployment, Route } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import type { EffectiveSettings } from "../../core/model/service.ts";
import { effectiveSettings } from "../../core/registry/effective-settings.ts";
import type { SettingsMaxima } from "../../core/registry/effective-settings.ts";
import { latestRevisions } from "../../core/registry/latest-revisions.ts";
import type { LatestRevision } from "../../core/registry/latest-revisions.ts";
import type { Routing } from "../ports/registry.ts";

type ByHandler = ReadonlyMap<string, Routing & { readonly found: true }>;
type ByService = ReadonlyMap<string, ByHandler>;

const NO_SERVICE: Routing = { found: false, missing: "service" };
const NO_HANDLER: Routing = { found: false, missing: "handler" };

export interface RoutingTable {
  readonly deployments: readonly Deployment[];
  /** Sorted by name. */
  readonly services: readonly LatestRevision[];
  route(service: string, handler: string): Routing;
  ownerOf(service: string): DeploymentId | undefined;
  routeOn(deploymentId: string, service: string, handler: string): Route | undefined;
}

export function routingTable(
  deployments: readonly Deployment[],
  defaults: EffectiveSettings,
  maxima: SettingsMaxima,
): RoutingTable {
  const onDeployment = new Map<string, ByService>();
  for (const deployment of deployments) onDeployment.set(deployment.id, routesOf(deployment, defaults, maxima));
  const revisions = latestRevisions(deployments);
  const latest = new Map<string, ByHandler>();
  for (const [name, { deployment }] of revisions) {
    const routes = onDeployment.get(deployment.id)?.get(name);
    if (routes !== undefined) latest.set(name, routes);
  }
  return {
    deployments,
    services: [...revisions.values()].sort((a, b) => (a.service.name < b.service.name ? -1 : 1)),
    route(service, handler) {
      const routes = latest.get(service);
      if (routes === undefined) return NO_SERVICE;
      return routes.get(handler) ?? NO_HANDLER;
    },
    ownerOf: (service) => revisions.get(service)?.deployment.id,
    routeOn(deploymentId, service, handler) {
      return onDeployment.get(deploymentId)?.get(service)?.get(handler)?.route;
    },
  };
}

function routesOf(deployment: Deployment, defaults: EffectiveSettings, maxima: SettingsMaxima): ByService {
  const services = new Map<string, ByHandler>();
  for (const service of deployment.services) {
    const handlers = new Map<string, Routing & { readonly found: true }>();
    for (const handler of service.handlers) {
      const settings = effectiveSettings(service, handler, defaults, maxima);
      handlers.set(handler.name, { found: true, route: { deployment, service, handler, settings } });
    }
    services.set(service.name, handlers);
  }
  return services;
}
