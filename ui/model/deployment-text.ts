/** Words for deployments, services and handlers. */
import type {
  DeploymentAddressBody,
  DeploymentBody,
  DeploymentHealthBody,
} from "../../shared/api/contract/deployments.ts";
import type { HandlerBody, ServiceBody } from "../../shared/api/contract/services.ts";
import type { Look } from "./status-look.ts";
import { ageText, durationText, momentOf } from "./time-text.ts";

const LOOKS: Readonly<Record<DeploymentBody["status"], Look>> = {
  active: { word: "active", glyph: "●", tone: "succeeded" },
  draining: { word: "draining", glyph: "◐", tone: "retrying" },
  drained: { word: "drained", glyph: "○", tone: "waiting" },
};

export function deploymentLook(status: DeploymentBody["status"]): Look {
  return LOOKS[status] ?? { word: status, glyph: "○", tone: "waiting" };
}

/** What the health of a deployment adds to its status; undefined while it answers, or if that is unknown. */
export function healthText(
  { state, since, last_contact_at: contact }: DeploymentHealthBody,
  nowMs: number,
): string | undefined {
  const sinceMs = momentOf(since);
  const contactMs = momentOf(contact);
  const duration = sinceMs === undefined ? "" : ` for ${durationText(Math.max(0, nowMs - sinceMs))}`;
  const last = contactMs === undefined ? "" : `, last contact ${ageText(contactMs, nowMs)}`;
  if (state === "unreachable") return `unreachable${duration}${last}`;
  return state === "failing" ? `all attempts fail${duration}${last}` : undefined;
}

/** The whole health in words, with who knows it. */
export function healthSentence(health: DeploymentHealthBody, nowMs: number): string {
  const contactMs = momentOf(health.last_contact_at);
  const words = healthText(health, nowMs);
  if (words !== undefined) return `${words}. All processes know this from the circuit breaker.`;
  return contactMs === undefined
    ? "unknown: no circuit is open, and this server process has had no answer from it since its start."
    : `reachable: it answered this server process ${ageText(contactMs, nowMs)}.`;
}

/** The meaning of each status. */
export const STATUS_MEANING: Readonly<Record<DeploymentBody["status"], string>> = {
  active: "New invocations of at least one service start here.",
  draining: "No new invocation starts here; the open ones that started here end here.",
  drained: "Nothing runs here and nothing starts here: the deployment can be removed.",
};

export function addressOf(deployment: DeploymentAddressBody): string {
  return "uri" in deployment ? deployment.uri : deployment.arn;
}

export function modeText(deployment: DeploymentAddressBody): string {
  if ("arn" in deployment) return `Lambda, request-response${deployment.compression === undefined ? "" : ", zstd"}`;
  const mode = deployment.protocol_type === "BidiStream" ? "bidirectional" : "request-response";
  return `${deployment.http_version}, ${mode}`;
}

export function versionsText({
  min_protocol_version: min,
  max_protocol_version: max,
}: Pick<DeploymentBody, "min_protocol_version" | "max_protocol_version">): string {
  return min === max ? String(min) : `${min} to ${max}`;
}

export function serviceTypeText(type: ServiceBody["ty"]): string {
  return { Service: "service", VirtualObject: "object", Workflow: "workflow" }[type];
}

export function handlerTypeText({ ty }: HandlerBody): string {
  if (ty === undefined) return "concurrent";
  return { Exclusive: "one at a time for each key", Shared: "shared", Workflow: "runs the workflow once" }[ty];
}

/** The names of members in the API, as words. */
export function memberWords(name: string): string {
  const words: Readonly<Record<string, string>> = {
    ty: "type",
    input_description: "input",
    output_description: "output",
    input_json_schema: "input schema",
    output_json_schema: "output schema",
    enable_lazy_state: "lazy state",
  };
  return words[name] ?? name.replaceAll("_", " ");
}

/** The services whose name, or the name of one of whose handlers, has the text. */
export function servicesWith(services: readonly ServiceBody[], text: string): readonly ServiceBody[] {
  const wanted = text.trim().toLowerCase();
  const has = (name: string): boolean => name.toLowerCase().includes(wanted);
  return services.filter(({ name, handlers }) => has(name) || handlers.some((handler) => has(handler.name)));
}
