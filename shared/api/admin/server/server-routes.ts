/** The routes of the server itself: health, version and metrics. */
import type { HttpResponse } from "../../http/message.ts";
import { emptyResponse, jsonResponse, textResponse } from "../../http/message.ts";
import type { RouteEntry } from "../../http/router.ts";
import type { VersionBody } from "../../contract/server.ts";
import type { AdminRequest, AdminRoute } from "../requests/admin-request.ts";
import { present } from "../requests/present.ts";
import { showReadiness } from "./ready-route.ts";

export const API_VERSION_MIN = 2;
export const API_VERSION_MAX = 4;
/**
 * The release of the reference server whose admin API this API equals. Existing clients choose their requests by this
 * release.
 */
const API_LEVEL = "1.7.12";
const PRODUCT = "stepwell";
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
/** The only member: it represents all processes that share the store. */
const MEMBER = 1;

export const SERVER_ROUTES: readonly RouteEntry<AdminRoute>[] = [
  { method: "GET", pattern: "/health", target: async () => emptyResponse(200) },
  { method: "GET", pattern: "/ready", target: showReadiness },
  { method: "GET", pattern: "/version", target: showVersion },
  { method: "GET", pattern: "/cluster-health", target: showClusterHealth },
  { method: "GET", pattern: "/metrics", target: showMetrics },
];

async function showVersion({ deps }: AdminRequest): Promise<HttpResponse> {
  const { version } = deps;
  const body: VersionBody = {
    version: `${API_LEVEL}+${PRODUCT}.${version}`,
    product: PRODUCT,
    product_version: version,
    min_admin_api_version: API_VERSION_MIN,
    max_admin_api_version: API_VERSION_MAX,
    ...present({ ingress_endpoint: deps.ingressEndpoint }),
    runs_on: deps.runsOn,
    features: {},
  };
  return jsonResponse(200, body);
}

async function showClusterHealth({ engine }: AdminRequest): Promise<HttpResponse> {
  // This reads the store, so a healthy answer means that the store works too.
  engine.registry.refresh();
  await engine.registry.deployments();
  return jsonResponse(200, {
    cluster_name: engine.settings.clusterName,
    metadata_cluster_health: { members: [MEMBER] },
  });
}

async function showMetrics({ deps }: AdminRequest): Promise<HttpResponse> {
  return textResponse(200, await deps.metricsText(), METRICS_TYPE);
}
