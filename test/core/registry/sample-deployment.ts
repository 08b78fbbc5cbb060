/** Minimal deployments, services and handlers for tests. */
import type { Deployment, DeploymentDestination } from "../../../shared/core/model/deployment.ts";
import { deploymentIdFromBytes, type DeploymentId } from "../../../shared/core/model/ids.ts";
import type { Handler, Service } from "../../../shared/core/model/service.ts";

export function deploymentId(n: number): DeploymentId {
  return deploymentIdFromBytes(Uint8Array.from({ length: 16 }, (_, i) => (i === 0 ? n : 0)));
}

export function destination(uri: string): DeploymentDestination {
  return { kind: "http", uri, httpVersion: "h2" };
}

export function handler(name: string, more: Partial<Handler> = {}): Handler {
  return { name, type: "service", settings: {}, ...more };
}

export function service(name: string, handlers: readonly string[], more: Partial<Service> = {}): Service {
  return { name, type: "service", handlers: handlers.map((one) => handler(one)), settings: {}, ...more };
}

export function deployment(
  n: number,
  services: readonly (Service & { revision?: number })[],
  more: Partial<Deployment> = {},
): Deployment {
  return {
    id: deploymentId(n),
    destination: destination(`http://host-${n}:9080/`),
    protocolMode: "bidi-stream",
    minProtocolVersion: 5,
    maxProtocolVersion: 7,
    additionalHeaders: {},
    metadata: {},
    createdAtMs: 1000 + n,
    services: services.map((one) => ({ ...one, revision: one.revision ?? 1 })),
    ...more,
  };
}
