/** Handles the custom resource that registers a deployment; if the registration fails, the update of the stack fails. */
import { NEVER_MADE, type ResourceEvent, type ResourceOutcome } from "../lambda/custom-resource.ts";
import type { AdminAnswer, AskAdmin } from "./admin-client.ts";

const REGISTERED_ALREADY = "META0004";
/** Enough for a refusal that contains the AWS command to grant a missing permission, with the function's ARN twice. */
const MESSAGE_MAX_CHARACTERS = 800;

interface Registration {
  readonly arn?: string;
  readonly uri?: string;
  readonly force?: boolean;
  readonly additional_headers?: Readonly<Record<string, string>>;
  readonly assume_role_arn?: string;
  readonly use_http_11?: boolean;
}

/**
 * Properties: `AdminUrl`, `Request` (the body of a registration, as JSON), `RemoveOnDelete`.
 * Attributes: `DeploymentId`.
 */
export function deploymentResource(
  clientOf: (adminUrl: string) => AskAdmin,
): (event: ResourceEvent) => Promise<ResourceOutcome> {
  return async ({ RequestType, ResourceProperties: properties, PhysicalResourceId = NEVER_MADE }) => {
    const ask = clientOf(String(properties["AdminUrl"]));
    if (RequestType === "Delete") {
      if (properties["RemoveOnDelete"] === "true" && PhysicalResourceId !== NEVER_MADE)
        await remove(ask, PhysicalResourceId);
      return { physicalId: PhysicalResourceId };
    }
    const id = await register(ask, JSON.parse(String(properties["Request"])) as Registration);
    return { physicalId: id, attributes: { DeploymentId: id } };
  };
}

/** An event may be delivered twice, and a roll-back repeats an earlier registration, so an existing deployment is a success. */
async function register(ask: AskAdmin, request: Registration): Promise<string> {
  const answer = await ask("POST", "/deployments", request);
  if (answer.body["restate_code"] !== REGISTERED_ALREADY) return idIn(answer, request);
  const id = idIn(await ask("POST", "/deployments", { ...request, dry_run: true }), request);
  const { arn: _, uri: __, force: ___, ...manner } = request;
  // Options other than the address may have changed since the registration; options that the template omits stay unchanged.
  if (Object.keys(manner).length > 0)
    idIn(await ask("PATCH", `/deployments/${encodeURIComponent(id)}`, manner), request);
  return id;
}

/** @throws Error with the address and the reason if the answer is a refusal */
function idIn(answer: AdminAnswer, { arn, uri }: Registration): string {
  const id = answer.body["id"];
  if (answer.status < 300 && typeof id === "string") return id;
  // The reason of a failure is visible in the stack's events, so it omits user, password and query of an address.
  const named = arn ?? uri?.replace(/[?#].*/s, "").replace(/\/\/[^/]*@/, "//");
  throw new Error(`${named} is not registered: ${answerText(answer)}`);
}

async function remove(ask: AskAdmin, id: string): Promise<void> {
  const answer = await ask("DELETE", `/deployments/${encodeURIComponent(id)}?force=true`);
  if (answer.status < 300 || answer.status === 404) return;
  throw new Error(`the deployment ${id} is not removed: ${answerText(answer)}`);
}

/** Short, because CloudFormation shows only the beginning. */
export function answerText({ status, body }: AdminAnswer): string {
  const { message, restate_code: code } = body;
  if (status === 401 || status === 403) {
    return `the admin API refused this function (${status}): its role may lack execute-api:Invoke, or the address is another account's`;
  }
  if (typeof message !== "string") return `the admin API answered ${status}`;
  const prefix = typeof code === "string" && !message.startsWith(`[${code}]`) ? `[${code}] ` : "";
  return `${prefix}${message.slice(0, MESSAGE_MAX_CHARACTERS)}`;
}
