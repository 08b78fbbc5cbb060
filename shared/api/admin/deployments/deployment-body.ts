/** Formats deployments for the admin API: a summary has the names of the services, a detail has the whole services. */
import type { DeploymentHealth } from "../../../core/registry/deployment-health.ts";
import type { OpenCircuit } from "../../../core/model/circuit.ts";
import { addressOf } from "../../../core/model/deployment.ts";
import type { Deployment } from "../../../core/model/deployment.ts";
import type { DeploymentView } from "../../../engine/register/deployments-view.ts";
import type { EngineSettings } from "../../../engine/ports/engine-settings.ts";
import type {
  CircuitBody,
  DeploymentAddressBody,
  DeploymentBody,
  DeploymentHealthBody,
  RegisteredBody,
  DeploymentSummaryBody,
} from "../../contract/deployments.ts";
import type { ServiceBody } from "../../contract/services.ts";
import { filled, maskedValues, momentText, present, written } from "../requests/json-members.ts";
import { serviceBody } from "../services/service-body.ts";

export function deploymentSummary(view: DeploymentView): DeploymentSummaryBody {
  const services = view.deployment.services.map(({ name, revision }) => ({ name, revision }));
  return { ...described(view), services };
}

export function deploymentDetail(view: DeploymentView, server: EngineSettings): DeploymentBody {
  return { ...described(view), services: servicesOf(view.deployment, server) };
}

export function registeredBody(deployment: Deployment, server: EngineSettings): RegisteredBody {
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
