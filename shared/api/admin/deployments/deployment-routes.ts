/** The routes of deployments: register, list, show, update in place, remove. */
import { IdError, parseDeploymentId, type DeploymentId } from "../../../core/model/ids.ts";
import { ManifestRuleError } from "../../../core/protocol/manifest-rule-error.ts";
import { viewDeployments, type DeploymentView } from "../../../engine/register/deployments-view.ts";
import { AddressError } from "../../../engine/register/discover.ts";
import { register } from "../../../engine/register/register.ts";
import {
  DestinationKindError,
  HeadersElsewhereError,
  removeDeployment as remove,
  updateDeployment,
  type UpdateRequest,
} from "../../../engine/register/change-deployments.ts";
import type { Needs } from "../../../engine/register/needed-by.ts";
import { emptyResponse, jsonResponse, type HttpResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { route, pathParam, PlainRefusal, type AdminRequest } from "../requests/admin-request.ts";
import { readQuery } from "../requests/json-body.ts";
import { readPatch, readRegisterRequest, readReplacement } from "./register-request.ts";
import {
  DeploymentBody,
  Deployments,
  RegisterHttp,
  RegisterLambda,
  RegisteredBody,
  RemoveDeploymentQuery,
  UpdateDeployment,
  type CircuitBody,
  type DeploymentAddressBody,
  type DeploymentHealthBody,
  type DeploymentSummaryBody,
} from "../../contract/deployments.ts";
import type { DeploymentHealth } from "../../../core/registry/deployment-health.ts";
import type { OpenCircuit } from "../../../core/model/circuit.ts";
import { addressOf, type Deployment } from "../../../core/model/deployment.ts";
import type { EngineSettings } from "../../../engine/ports/engine-settings.ts";
import type { ServiceBody } from "../../contract/services.ts";
import { filled, maskedValues, momentText, present, written } from "../requests/json-members.ts";
import { serviceBody } from "../services/service-body.ts";

const DISCOVERY = ["META0003", "META0012", "META0013", "META0014", "META0015"];
const UPDATE = {
  body: [UpdateDeployment],
  answers: { 200: DeploymentBody },
  codes: [...DISCOVERY, "META0005", "META0016"],
};

export const DEPLOYMENT_ROUTES = [
  route("GET", "/deployments", listDeployments, { summary: "List the deployments", answers: { 200: Deployments } }),
  route("POST", "/deployments", registerDeployment, {
    summary: "Discover and register a deployment",
    body: [RegisterHttp, RegisterLambda],
    answers: { 200: RegisteredBody, 201: RegisteredBody },
    codes: [...DISCOVERY, "META0004", "META0005", "META0006", "META0017"],
  }),
  route("GET", "/deployments/:id", showDeployment, {
    summary: "Show a deployment with its services",
    answers: { 200: DeploymentBody },
  }),
  route("PUT", "/deployments/:id", replaceDeployment, {
    summary: "Update a deployment in place with freshly discovered metadata",
    ...UPDATE,
  }),
  route("PATCH", "/deployments/:id", patchDeployment, {
    summary: "Change the address or the headers of a deployment",
    ...UPDATE,
  }),
  route("DELETE", "/deployments/:id", removeDeployment, {
    summary: "Remove a deployment that no open invocation needs, or any by force",
    query: RemoveDeploymentQuery,
    answers: { 202: null },
  }),
];

async function registerDeployment({ engine, request, apiVersion }: AdminRequest): Promise<HttpResponse> {
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

async function listDeployments({ engine }: AdminRequest): Promise<HttpResponse> {
  return jsonResponse(200, { deployments: (await viewDeployments(engine)).map(deploymentSummary) });
}

async function showDeployment(asked: AdminRequest): Promise<HttpResponse> {
  return await detail(asked, deploymentIdParam(asked));
}

/** Discovers the deployment again and replaces all its metadata, unless the new metadata differs too much (META0016). */
async function replaceDeployment(asked: AdminRequest): Promise<HttpResponse> {
  return await updated(asked, readReplacement(asked.request));
}

async function patchDeployment(asked: AdminRequest): Promise<HttpResponse> {
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

async function removeDeployment(asked: AdminRequest): Promise<HttpResponse> {
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

/** The refusal to remove a deployment that invocations need, with the options of the operator. */
function inUseText(id: string, { pinned, unserved, services, isAtLeast }: Needs): string {
  if (pinned + unserved === 0)
    return (
      `Too many invocations are open to tell whether an invocation needs the deployment '${id}'; so far none was found. ` +
      "Try again when fewer are open, or remove the deployment with force=true: invocations that need it then fail with RT0011"
    );
  const names = services.join(", ");
  const facts = [
    ...(pinned > 0 ? [`has ${counted(pinned, isAtLeast)} pinned to it`] : []),
    ...(unserved > 0 ? [`alone serves ${counted(unserved, isAtLeast)} of ${names}`] : []),
  ];
  const register = unserved > 0 ? `Register another deployment of ${names}, wait` : "Wait";
  const until = [
    ...(pinned > 0 ? ["they are resumed on another deployment"] : []),
    ...(unserved > 0 ? [`a deployment of ${names} is registered`] : []),
  ];
  return (
    `The deployment '${id}' ${facts.join(", and ")}. ${register} until they have ended, cancel or kill them, ` +
    `or remove the deployment with force=true: they then fail with RT0011 until ${until.join(" or ")}`
  );
}

function counted(count: number, isAtLeast: boolean): string {
  return `${isAtLeast ? "at least " : ""}${count} open invocation${count === 1 ? "" : "s"}`;
}

/** Formats deployments for the admin API: a summary has the names of the services, a detail has the whole services. */
export function deploymentSummary(view: DeploymentView): DeploymentSummaryBody {
  const services = view.deployment.services.map(({ name, revision }) => ({ name, revision }));
  return { ...described(view), services };
}

function deploymentDetail(view: DeploymentView, server: EngineSettings): DeploymentBody {
  return { ...described(view), services: servicesOf(view.deployment, server) };
}

function registeredBody(deployment: Deployment, server: EngineSettings): RegisteredBody {
  return {
    id: deployment.id,
    services: servicesOf(deployment, server),
    min_protocol_version: deployment.minProtocolVersion,
    max_protocol_version: deployment.maxProtocolVersion,
    ...present({ sdk_version: deployment.sdkVersion }),
  };
}

function servicesOf(deployment: Deployment, server: EngineSettings): readonly ServiceBody[] {
  return deployment.services.map((service) => serviceBody(service, deployment, server));
}

function described({ deployment, status, pinned, circuits, health }: DeploymentView) {
  return {
    id: deployment.id,
    ...addressBody(deployment),
    ...present({
      additional_headers: filled(maskedValues(deployment.additionalHeaders)),
      metadata: filled(deployment.metadata),
    }),
    created_at: momentText(deployment.createdAtMs),
    min_protocol_version: deployment.minProtocolVersion,
    max_protocol_version: deployment.maxProtocolVersion,
    ...present({ sdk_version: deployment.sdkVersion }),
    status,
    ...present({ pinned_invocations: pinned }),
    health: healthBody(health),
    ...(circuits.length > 0 && { circuits: circuits.map(circuitBody) }),
  };
}

function healthBody({ state, sinceMs, reason, lastContactAtMs }: DeploymentHealth): DeploymentHealthBody {
  return {
    state,
    ...present({
      since: written(sinceMs, momentText),
      reason,
      last_contact_at: written(lastContactAtMs, momentText),
    }),
  };
}

function circuitBody({ service, sinceMs, untilMs, reason }: OpenCircuit): CircuitBody {
  return { service, open_since: momentText(sinceMs), next_attempt_at: momentText(untilMs), reason };
}

function addressBody({ destination, protocolMode }: Deployment): DeploymentAddressBody {
  if (destination.kind === "lambda") {
    return {
      arn: destination.arn,
      ...present({
        assume_role_arn: destination.assumeRoleArn,
        compression: destination.compression && ("Zstd" as const),
      }),
    };
  }
  return {
    uri: addressOf(destination),
    protocol_type: protocolMode === "bidi-stream" ? "BidiStream" : "RequestResponse",
    http_version: destination.httpVersion === "h2" ? "HTTP/2.0" : "HTTP/1.1",
  };
}
