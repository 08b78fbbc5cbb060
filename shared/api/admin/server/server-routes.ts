/** The routes of the server itself: health, readiness, version and metrics. */
import type { Engine } from "../../../engine/engine.ts";
import type { ReadinessCheck } from "../../../engine/ports/readiness.ts";
import { StoreError } from "../../../engine/ports/table.ts";
import { emptyResponse, jsonResponse, textResponse, type HttpResponse } from "../../http/message.ts";
import { ClusterHealth, ReadyBody, VersionBody } from "../../contract/server.ts";
import { route, type AdminRequest } from "../requests/admin-request.ts";
import { present } from "../requests/json-members.ts";

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

export const SERVER_ROUTES = [
  route("GET", "/health", async () => emptyResponse(200), {
    summary: "Check that the server answers",
    answers: { 200: null },
  }),
  route("GET", "/ready", showReadiness, {
    summary: "Check that the server takes new work, with the reasons if it does not",
    answers: { 200: ReadyBody, 503: ReadyBody },
  }),
  route("GET", "/version", showVersion, {
    summary: "Show the versions of the API and of the server",
    answers: { 200: VersionBody },
  }),
  route("GET", "/cluster-health", showClusterHealth, {
    summary: "List the nodes of the cluster",
    answers: { 200: ClusterHealth },
  }),
  route("GET", "/metrics", showMetrics, {
    summary: "Metrics in the text format of Prometheus",
    answers: { 200: null },
  }),
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

/**
 * 200 if the server takes new work now, else 503 with the reasons; `GET /health` says only that the process answers. An open circuit of one deployment is no reason: work for it is accepted, and waits.
 */
async function showReadiness({ deps }: AdminRequest): Promise<HttpResponse> {
  const checks = await deps.readiness();
  const isReady = checks.every(({ isOk }) => isOk);
  const body: ReadyBody = {
    ready: isReady,
    checks: checks.map(({ name, isOk, reason }) => ({
      name,
      ok: isOk,
      ...(reason !== undefined && { reason }),
    })),
  };
  return jsonResponse(isReady ? 200 : 503, body);
}

/** Where the server does not own its store, a read shows that the store answers. */
export async function storeReadiness(engine: Engine): Promise<readonly ReadinessCheck[]> {
  try {
    engine.registry.refresh();
    await engine.registry.deployments();
    return [{ name: "store", isOk: true }];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [{ name: "store", isOk: false, reason: "the store did not answer" }];
  }
}

/** Probes ask once a second or less often. */
const GOOD_MS = 500;

/** A failed look is shared by those who wait for it, and by no others. */
export function sharedLook<Seen>(look: () => Promise<Seen>, nowMs: () => number): () => Promise<Seen> {
  let running: Promise<Seen> | undefined;
  let last: { readonly seen: Seen; readonly atMs: number } | undefined;
  const lookNow = async (): Promise<Seen> => {
    const seen = await look();
    last = { seen, atMs: nowMs() };
    return seen;
  };
  return async () => {
    // After the clock is set back, the age is negative.
    const ageMs = last === undefined ? Infinity : nowMs() - last.atMs;
    if (last !== undefined && ageMs >= 0 && ageMs < GOOD_MS) return last.seen;
    return await (running ??= lookNow().finally(() => (running = undefined)));
  };
}
