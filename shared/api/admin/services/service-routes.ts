/** The routes of services and their handlers, in their latest revision. */
import { modifyService as modify, NoWorkflowError } from "../../../engine/register/change-deployments.ts";
import type { LatestRevision } from "../../../core/registry/latest-revisions.ts";
import { type HttpResponse, jsonResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { type AdminRequest, route, pathParam } from "../requests/admin-request.ts";
import { readJsonBody } from "../requests/json-body.ts";
import { present } from "../requests/json-members.ts";
import { HandlerBody, Handlers, ModifyService, ServiceBody, Services } from "../../contract/services.ts";
import { handlerBody, serviceBody } from "./service-body.ts";
import { serviceOpenApi } from "./service-openapi.ts";

export const SERVICE_ROUTES = [
  route("GET", "/services", listServices, {
    summary: "List the services, each in its latest revision",
    answers: { 200: Services },
  }),
  route("GET", "/services/:service", showService, { summary: "Show a service", answers: { 200: ServiceBody } }),
  route("PATCH", "/services/:service", modifyService, {
    summary: "Change settings of a service until it is registered again",
    body: [ModifyService],
    answers: { 200: ServiceBody },
  }),
  route("GET", "/services/:service/handlers", listHandlers, {
    summary: "List the handlers of a service",
    answers: { 200: Handlers },
  }),
  route("GET", "/services/:service/handlers/:handler", showHandler, {
    summary: "Show a handler",
    answers: { 200: HandlerBody },
  }),
  route("GET", "/services/:service/openapi", showOpenApi, {
    summary: "The OpenAPI document of a service: how its handlers are called",
    answers: { 200: null },
  }),
];

async function listServices({ engine }: AdminRequest): Promise<HttpResponse> {
  engine.registry.refresh();
  const latest = await engine.registry.services();
  const services = latest.map(({ service, deployment }) => serviceBody(service, deployment, engine.settings));
  return jsonResponse(200, { services });
}

async function showService(asked: AdminRequest): Promise<HttpResponse> {
  const { service, deployment } = await latestRevision(asked);
  return jsonResponse(200, serviceBody(service, deployment, asked.engine.settings));
}

/** An empty object changes nothing and returns the service. */
async function modifyService(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "service");
  const body = readJsonBody(asked.request, ModifyService);
  const changes = present({
    private: body.public === undefined ? undefined : !body.public,
    idempotencyRetentionMs: body.idempotency_retention,
    workflowRetentionMs: body.workflow_completion_retention,
    journalRetentionMs: body.journal_retention,
    inactivityTimeoutMs: body.inactivity_timeout,
    abortTimeoutMs: body.abort_timeout,
    startWithinMs: body.start_within,
    endWithinMs: body.end_within,
  });
  const modified = await modify(asked.engine, name, changes).catch((error: unknown) => {
    if (!(error instanceof NoWorkflowError)) throw error;
    throw new HttpProblem(400, `The request field 'workflow_completion_retention' is invalid: ${error.message}`);
  });
  if (modified === undefined) throw unknownService(name);
  return jsonResponse(200, serviceBody(modified.service, modified.deployment, asked.engine.settings));
}

async function listHandlers(asked: AdminRequest): Promise<HttpResponse> {
  const { service, deployment } = await latestRevision(asked);
  const handlers = service.handlers.map((one) => handlerBody(service, one, deployment, asked.engine.settings));
  return jsonResponse(200, { handlers });
}

async function showHandler(asked: AdminRequest): Promise<HttpResponse> {
  const { service, deployment } = await latestRevision(asked);
  const name = pathParam(asked, "handler");
  const handler = service.handlers.find((one) => one.name === name);
  if (handler === undefined) {
    throw new HttpProblem(404, `The requested handler '${name}' of service '${service.name}' does not exist`);
  }
  return jsonResponse(200, handlerBody(service, handler, deployment, asked.engine.settings));
}

async function showOpenApi(asked: AdminRequest): Promise<HttpResponse> {
  const latest = await latestRevision(asked);
  return jsonResponse(200, serviceOpenApi(latest, asked.engine.settings, asked.deps.ingressEndpoint));
}

/** @throws HttpProblem 404 */
async function latestRevision(asked: AdminRequest): Promise<LatestRevision> {
  const name = pathParam(asked, "service");
  asked.engine.registry.refresh();
  const found = (await asked.engine.registry.services()).find(({ service }) => service.name === name);
  if (found === undefined) throw unknownService(name);
  return found;
}

function unknownService(name: string): HttpProblem {
  return new HttpProblem(404, `The requested service '${name}' does not exist`);
}
