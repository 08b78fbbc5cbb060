/** The routes of services and their handlers, each as its latest revision. */
import type { LatestRevision } from "../../core/registry/latest-revisions.ts";
import type { HttpResponse } from "../http/message.ts";
import { jsonResponse } from "../http/message.ts";
import { HttpProblem } from "../http/problem.ts";
import { pathParam } from "./admin-request.ts";
import type { AdminRequest } from "./admin-request.ts";
import { handlerBody, serviceBody } from "./service-body.ts";

export async function listServices({ engine }: AdminRequest): Promise<HttpResponse> {
  engine.registry.refresh();
  const latest = await engine.registry.services();
  const services = latest.map(({ service, deployment }) => serviceBody(service, deployment, engine.settings));
  return jsonResponse(200, { services });
}

export async function showService(asked: AdminRequest): Promise<HttpResponse> {
  const { service, deployment } = await latestRevision(asked);
  return jsonResponse(200, serviceBody(service, deployment, asked.engine.settings));
}

export async function listHandlers(asked: AdminRequest): Promise<HttpResponse> {
  const { service, deployment } = await latestRevision(asked);
  const handlers = service.handlers.map((one) => handlerBody(service, one, deployment, asked.engine.settings));
  return jsonResponse(200, { handlers });
}

export async function showHandler(asked: AdminRequest): Promise<HttpResponse> {
  const { service, deployment } = await latestRevision(asked);
  const name = pathParam(asked, "handler");
  const handler = service.handlers.find((one) => one.name === name);
  if (handler === undefined) {
    throw new HttpProblem(404, `The requested handler '${name}' of service '${service.name}' does not exist`);
  }
  return jsonResponse(200, handlerBody(service, handler, deployment, asked.engine.settings));
}

async function latestRevision(asked: AdminRequest): Promise<LatestRevision> {
  const name = pathParam(asked, "service");
  asked.engine.registry.refresh();
  const found = (await asked.engine.registry.services()).find(({ service }) => service.name === name);
  if (found === undefined) throw new HttpProblem(404, `The requested service '${name}' does not exist`);
  return found;
}
