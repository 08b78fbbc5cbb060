/** `POST /deployments/{id}/probe`: the server asks a registered deployment at once what it announces. */
import { cutToBytes } from "../../../core/model/attempt-failure.ts";
import type { ManifestDifference } from "../../../core/registry/same-manifest.ts";
import { probeDeployment, type Probe } from "../../../engine/register/probe-deployment.ts";
import { jsonResponse, type HttpResponse } from "../../http/message.ts";
import { ProbeBody, type ProbeDifferenceBody } from "../../contract/deployments.ts";
import { type AdminRequest, route } from "../requests/admin-request.ts";
import { assertOwnOrigin } from "../invocations/call-route.ts";
import { deploymentIdParam, unknownDeployment } from "./deployment-routes.ts";
import { momentText, present, written } from "../requests/json-members.ts";

const DIFFERENCES_MAX = 100;
/** Schemas can have megabytes, and the place where they begin to differ is enough to see what has changed. */
const TEXT_MAX_BYTES = 300;
/** The number of equal characters that the answer shows before the first difference. */
const EQUAL_SHOWN = 40;

export const PROBE_ROUTE = route("POST", "/deployments/:id/probe", probeRoute, {
  summary:
    "Ask a deployment at once what it announces, and compare the answer with its registration; nothing is stored",
  answers: { 200: ProbeBody },
});

async function probeRoute(asked: AdminRequest): Promise<HttpResponse> {
  assertOwnOrigin(asked.request.headers, "sends a request to a deployment");
  const id = deploymentIdParam(asked);
  const probe = await probeDeployment(asked.engine, id);
  if (probe === undefined) throw unknownDeployment(id);
  return jsonResponse(200, probeBody(probe));
}

function probeBody({ deployment, beganAtMs, tookMs, head, result }: Probe): ProbeBody {
  const common = {
    deployment_id: deployment.id,
    began_at: momentText(beganAtMs),
    took_ms: tookMs,
    ...(head !== undefined && {
      http_status: head.status,
      http_version: head.httpVersion === "h2" ? ("HTTP/2.0" as const) : ("HTTP/1.1" as const),
    }),
  };
  if (result.kind === "failed") {
    const error = { message: result.reason, restate_code: result.code ?? null };
    return {
      ...common,
      outcome: head === undefined ? "unanswered" : "refused",
      differences: [],
      difference_count: 0,
      error,
    };
  }
  const { found, differences } = result;
  const { services } = found.manifest;
  return {
    ...common,
    outcome: differences.length === 0 ? "same" : "differs",
    ...present({ sdk_version: found.sdkVersion }),
    services: services.length,
    handlers: services.reduce((sum, { handlers }) => sum + handlers.length, 0),
    differences: differences.slice(0, DIFFERENCES_MAX).map(differenceBody),
    difference_count: differences.length,
  };
}

function differenceBody({ registered, found, ...place }: ManifestDifference): ProbeDifferenceBody {
  const cut = (text: string): string => cutFrom(text, equalLength(registered ?? "", found ?? ""));
  return { ...place, ...present({ registered: written(registered, cut), found: written(found, cut) }) };
}

/** Cuts a long text to the part around the place where it begins to differ from the other. */
function cutFrom(text: string, equal: number): string {
  if (cutToBytes(text, TEXT_MAX_BYTES) === text || equal <= EQUAL_SHOWN) return cutToBytes(text, TEXT_MAX_BYTES);
  return `…${cutToBytes(text.slice(equal - EQUAL_SHOWN), TEXT_MAX_BYTES)}`;
}

function equalLength(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  return at;
}
