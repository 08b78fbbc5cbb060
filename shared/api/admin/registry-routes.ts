/** The route table for deployments, services, state, subscriptions and Kafka clusters. */
import type { RouteEntry } from "../http/router.ts";
import type { AdminRoute } from "./requests/admin-request.ts";
import {
  listDeployments,
  patchDeployment,
  registerDeployment,
  removeDeployment,
  replaceDeployment,
  showDeployment,
} from "./deployments/deployment-routes.ts";
import { probeRoute } from "./deployments/probe-route.ts";
import { showServiceCounts } from "./services/service-counts-route.ts";
import { createCluster, listClusters, patchCluster, removeCluster, showCluster } from "./topics/kafka-routes.ts";
import {
  changeSubscription,
  createSubscription,
  listSubscriptions,
  removeSubscriptionRoute,
  showSubscription,
} from "./topics/subscription-routes.ts";
import { listHandlers, listServices, modifyService, showHandler, showService } from "./services/service-routes.ts";
import { showServiceOpenApi } from "./services/service-openapi.ts";
import { editStateRoute, showState } from "./services/state-routes.ts";

export const REGISTRY_ROUTES: readonly RouteEntry<AdminRoute>[] = [
  { method: "GET", pattern: "/deployments", target: listDeployments },
  { method: "POST", pattern: "/deployments", target: registerDeployment },
  { method: "GET", pattern: "/deployments/:id", target: showDeployment },
  { method: "PUT", pattern: "/deployments/:id", target: replaceDeployment },
  { method: "PATCH", pattern: "/deployments/:id", target: patchDeployment },
  { method: "DELETE", pattern: "/deployments/:id", target: removeDeployment },
  { method: "POST", pattern: "/deployments/:id/probe", target: probeRoute },
  { method: "GET", pattern: "/services", target: listServices },
  { method: "GET", pattern: "/services/:service", target: showService },
  { method: "PATCH", pattern: "/services/:service", target: modifyService },
  { method: "GET", pattern: "/services/:service/handlers", target: listHandlers },
  { method: "GET", pattern: "/services/:service/handlers/:handler", target: showHandler },
  { method: "GET", pattern: "/services/:service/openapi", target: showServiceOpenApi },
  { method: "GET", pattern: "/services/:service/state", target: showState },
  { method: "POST", pattern: "/services/:service/state", target: editStateRoute },
  { method: "GET", pattern: "/internal/service-counts", target: showServiceCounts },
  { method: "GET", pattern: "/subscriptions", target: listSubscriptions },
  { method: "POST", pattern: "/subscriptions", target: createSubscription },
  { method: "GET", pattern: "/subscriptions/:id", target: showSubscription },
  { method: "PATCH", pattern: "/subscriptions/:id", target: changeSubscription },
  { method: "DELETE", pattern: "/subscriptions/:id", target: removeSubscriptionRoute },
  { method: "GET", pattern: "/kafka-clusters", target: listClusters },
  { method: "POST", pattern: "/kafka-clusters", target: createCluster },
  { method: "GET", pattern: "/kafka-clusters/:name", target: showCluster },
  { method: "PATCH", pattern: "/kafka-clusters/:name", target: patchCluster },
  { method: "DELETE", pattern: "/kafka-clusters/:name", target: removeCluster },
];
