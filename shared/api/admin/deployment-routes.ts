/** The routes of deployments: register, list, show. */
import { CodedError } from "../../core/errors/coded-error.ts";
import { IdError, parseDeploymentId } from "../../core/model/ids.ts";
import { ManifestRuleError } from "../../core/protocol/manifest-rule-error.ts";
import { AddressError } from "../../engine/discover.ts";
import { register } from "../../engine/register.ts";
import type { Registered, RegisterRequest } from "../../engine/register.ts";
import type { HttpResponse } from "../http/message.ts";
import { jsonResponse } from "../http/message.ts";
import { HttpProblem } from "../http/problem.ts";
import { pathParam } from "./admin-request.ts";
import type { AdminRequest } from "./admin-request.ts";
import { deploymentDetail, deploymentSummary, registeredBody } from "./deployment-body.ts";
import { PlainRefusal } from "./plain-refusal.ts";
import { readRegisterRequest } from "./register-request.ts";

export async function registerDeployment({ engine, request, apiVersion }: AdminRequest): Promise<HttpResponse> {
  const isOldest = apiVersion === 2;
  const registered = await registerOrRefuse(engine, readRegisterRequest(request, isOldest));
  const { kind, deployment } = registered;
  if (isOldest && kind === "unchanged") throw new CodedError("META0004", `${deployment.id} exists`);
  const status = kind === "created" || isOldest ? 201 : 200;
  return jsonResponse(status, registeredBody(deployment, engine.settings), {
    location: `deployments/${deployment.id}`,
  });
}

async function registerOrRefuse(engine: AdminRequest["engine"], asked: RegisterRequest): Promise<Registered> {
  try {
    return await register(engine, asked);
  } catch (error) {
    if (error instanceof AddressError) {
      throw new HttpProblem(400, `The request field '${error.field}' is invalid: ${error.message}`);
    }
    if (error instanceof ManifestRuleError) throw new HttpProblem(400, `The manifest is not valid: ${error.message}`);
    throw error;
  }
}

export async function listDeployments({ engine }: AdminRequest): Promise<HttpResponse> {
  engine.registry.refresh();
  const deployments = await engine.registry.deployments();
  return jsonResponse(200, { deployments: deployments.map(deploymentSummary) });
}

export async function showDeployment(asked: AdminRequest): Promise<HttpResponse> {
  const { engine } = asked;
  const id = deploymentIdParam(asked);
  engine.registry.refresh();
  const deployment = (await engine.registry.deployments()).find((one) => one.id === id);
  if (deployment === undefined) throw new HttpProblem(404, `The requested deployment '${id}' does not exist`);
  return jsonResponse(200, deploymentDetail(deployment, engine.settings));
}

export async function removeDeployment(asked: AdminRequest): Promise<HttpResponse> {
  deploymentIdParam(asked);
  throw new HttpProblem(501, "Deployments cannot be removed yet");
}

function deploymentIdParam(asked: AdminRequest): string {
  const raw = pathParam(asked, "id");
  try {
    return parseDeploymentId(raw);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    throw new PlainRefusal(400, `Invalid URL: Cannot parse \`deployment_id\` with value \`${raw}\`: ${error.message}`);
  }
}
