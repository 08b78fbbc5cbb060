/** A deployment as a resource of a stack: registered while the stack is deployed, or the stack is not deployed. */
import type { ResourceEvent, ResourceOutcome } from "../lambda/custom-resource.ts";
import { NEVER_MADE } from "../lambda/custom-resource.ts";
import type { AdminAnswer, AskAdmin } from "./admin-client.ts";

const REGISTERED_ALREADY = "META0004";
/** Room for the command that grants what is missing, which names a function twice. */
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
  return async ({ RequestType, ResourceProperties: told, PhysicalResourceId = NEVER_MADE }) => {
    const ask = clientOf(String(told["AdminUrl"]));
    if (RequestType === "Delete") {
      if (told["RemoveOnDelete"] === "true" && PhysicalResourceId !== NEVER_MADE) await remove(ask, PhysicalResourceId);
      return { physicalId: PhysicalResourceId };
    }
    const id = await register(ask, JSON.parse(String(told["Request"])) as Registration);
    return { physicalId: id, attributes: { DeploymentId: id } };
  };
}

/** The same event may come twice, and a roll-back comes with what was registered before: what is there already is found. */
async function register(ask: AskAdmin, request: Registration): Promise<string> {
  const answer = await ask("POST", "/deployments", request);
  if (answer.body["restate_code"] !== REGISTERED_ALREADY) return idIn(answer, request);
  const id = idIn(await ask("POST", "/deployments", { ...request, dry_run: true }), request);
  const { arn: _, uri: __, force: ___, ...manner } = request;
  // How it is asked may have changed since; what the template does not say stays as it is.
  if (Object.keys(manner).length > 0)
    idIn(await ask("PATCH", `/deployments/${encodeURIComponent(id)}`, manner), request);
  return id;
}

/** @throws Error that names the address and the reason, where the answer is a refusal */
function idIn(answer: AdminAnswer, { arn, uri }: Registration): string {
  const id = answer.body["id"];
  if (answer.status < 300 && typeof id === "string") return id;
  // The reason of a failure stands in the events of the stack: user, password and query of an address do not.
  const named = arn ?? uri?.replace(/[?#].*/s, "").replace(/\/\/[^/]*@/, "//");
  throw new Error(`${named} is not registered: ${told(answer)}`);
}

async function remove(ask: AskAdmin, id: string): Promise<void> {
  const answer = await ask("DELETE", `/deployments/${encodeURIComponent(id)}?force=true`);
  if (answer.status < 300 || answer.status === 404) return;
  throw new Error(`the deployment ${id} is not removed: ${told(answer)}`);
}

/** Short, because CloudFormation shows the beginning only. */
function told({ status, body }: AdminAnswer): string {
  const { message, restate_code: code } = body;
  if (status === 401 || status === 403) {
    return `the admin API lets this function not in (${status}): its role may lack execute-api:Invoke, or the address is another account's`;
  }
  if (typeof message !== "string") return `the admin API answered ${status}`;
  const prefix = typeof code === "string" && !message.startsWith(`[${code}]`) ? `[${code}] ` : "";
  return `${prefix}${message.slice(0, MESSAGE_MAX_CHARACTERS)}`;
}
