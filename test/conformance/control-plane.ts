/** The control plane under test: by default one in this process, or one that runs already and is named by its addresses. */
import type { Deployment } from "./deployment.ts";

export interface ControlPlane {
  /** Where the ingress answers, without a trailing slash. */
  readonly ingressUri: string;
  register(deployment: Deployment): Promise<void>;
  stop(): Promise<void>;
}

/** Set both to run the table against a control plane elsewhere, the reference server for one. */
const RUNNING_INGRESS = process.env["CONFORMANCE_INGRESS_URI"];
const RUNNING_ADMIN = process.env["CONFORMANCE_ADMIN_URI"];

export async function startControlPlane(): Promise<ControlPlane> {
  if (RUNNING_INGRESS !== undefined && RUNNING_ADMIN !== undefined) return running(RUNNING_INGRESS, RUNNING_ADMIN);
  throw new Error("name a running control plane by CONFORMANCE_INGRESS_URI and CONFORMANCE_ADMIN_URI");
}

function running(ingressUri: string, adminUri: string): ControlPlane {
  return {
    ingressUri,
    register: (deployment) => registerOver(adminUri, deployment),
    stop: async () => {},
  };
}

/** @throws Error with the answer of the admin API where it refuses */
export async function registerOver(adminUri: string, { uri, carrier }: Deployment): Promise<void> {
  const response = await fetch(`${adminUri}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri, use_http_11: carrier === "http1.1", force: true }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`the deployment was refused with ${response.status}: ${answer}`);
}
