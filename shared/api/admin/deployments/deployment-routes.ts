/** The admin API's routes for deployments: register, list, show, update in place, remove. */
import { IdError, parseDeploymentId } from "../../../core/model/ids.ts";
import type { DeploymentId } from "../../../core/model/ids.ts";
import { ManifestRuleError } from "../../../core/protocol/manifest-rule-error.ts";
import { viewDeployments } from "../../../engine/register/deployments-view.ts";
import { AddressError } from "../../../engine/register/discover.ts";
import { register } from "../../../engine/register/register.ts";
import { removeDeployment as remove } from "../../../engine/register/remove-deployment.ts";
import {
  DestinationKindError,
  HeadersElsewhereError,
  updateDeployment,
} from "../../../engine/register/update-deployment.ts";
import type { UpdateRequest } from "../../../engine/register/update-deployment.ts";
import type { HttpResponse } from "../../http/message.ts";
import { emptyResponse, jsonResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { pathParam } from "../requests/admin-request.ts";
import type { AdminRequest } from "../requests/admin-request.ts";
import { inUseText } from "./deployment-in-use.ts";
import { deploymentDetail, deploymentSummary, registeredBody } from "./deployment-body.ts";
import { readQuery } from "../requests/json-body.ts";
import { PlainRefusal } from "../requests/plain-refusal.ts";
import { readPatch, readRegisterRequest, readReplacement } from "./register-request.ts";
import { RemoveDeploymentQuery } from "../../contract/deployments.ts";

export async function registerDeployment({ engine, request, apiVersion }: AdminRequest): Promise<HttpResponse> {
  const isOldest = apiVersion === 2;
  const asked = readRegisterRequest(request, isOldest);
  const { kind, deployment } = await refusing(() => register(engine, asked));
  const status = kind === "created" || (isOldest && kind === "replaced") ? 201 : 200;
  return jsonResponse(status, registeredBody(deployment, engine.settings), {
    location: `deployments/${deployment.id}`,
  });
}

/** Converts refusals of the engine to problems that name the fields of the request. */
async function refusing<Done>(ask: () => Promise<Done>): Promise<Done> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AddressError) {
      throw new HttpProblem(400, `The request field '${error.field}' is invalid: ${error.message}`);
    }
    if (error instanceof ManifestRuleError) throw new HttpProblem(400, `The manifest is not valid: ${error.message}`);
    if (error instanceof DestinationKindError || error instanceof HeadersElsewhereError) {
      throw new HttpProblem(400, error.message);
    }
    throw error;
  }
}

export async function listDeployments({ engine }: AdminRequest): Promise<HttpResponse> {
  return jsonResponse(200, { deployments: (await viewDeployments(engine)).map(deploymentSummary) });
}

export async function showDeployment(asked: AdminRequest): Promise<HttpResponse> {
  return await detail(asked, deploymentIdParam(asked));
}

/** Discovers the deployment again and replaces all its metadata, unless the new metadata differs too much (META0016). */
export async function replaceDeployment(asked: AdminRequest): Promise<HttpResponse> {
  return await updated(asked, readReplacement(asked.request));
}

export async function patchDeployment(asked: AdminRequest): Promise<HttpResponse> {
  const request = readPatch(asked.request);
  return request === undefined ? await detail(asked, deploymentIdParam(asked)) : await updated(asked, request);
}

async function updated(asked: AdminRequest, request: UpdateRequest): Promise<HttpResponse> {
  const { engine } = asked;
  const id = deploymentIdParam(asked);
  const deployment = await refusing(() => updateDeployment(engine, id, request));
  if (deployment === undefined) throw unknownDeployment(id);
  // The answer shows the updated deployment. The view may lack the update, because a dry run does not store it.
  const [view] = await viewDeployments(engine, (one) => one.id === id);
  if (view === undefined) throw unknownDeployment(id);
  return jsonResponse(200, deploymentDetail({ ...view, deployment }, engine.settings));
}

export async function removeDeployment(asked: AdminRequest): Promise<HttpResponse> {
  const id = deploymentIdParam(asked);
  const { force } = readQuery(asked.request, RemoveDeploymentQuery);
  const removed = await remove(asked.engine, id, force);
  switch (removed.kind) {
    case "removed":
      return emptyResponse(202);
    case "unknown":
      throw unknownDeployment(id);
    case "in-use":
      throw new HttpProblem(409, inUseText(id, removed.needs));
  }
}

async function detail({ engine }: AdminRequest, id: DeploymentId): Promise<HttpResponse> {
  const [view] = await viewDeployments(engine, (one) => one.id === id);
  if (view === undefined) throw unknownDeployment(id);
  return jsonResponse(200, deploymentDetail(view, engine.settings));
}

export function unknownDeployment(id: DeploymentId): HttpProblem {
  return new HttpProblem(404, `The requested deployment '${id}' does not exist`);
}

export function deploymentIdParam(asked: AdminRequest): DeploymentId {
  const raw = pathParam(asked, "id");
  try {
    return parseDeploymentId(raw);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    throw new PlainRefusal(400, `Invalid URL: Cannot parse \`deployment_id\` with value \`${raw}\`: ${error.message}`);
  }
}
