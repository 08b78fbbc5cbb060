/** The deployments of the scenarios: most services are at the first one, and one object is at the second, which may be removed. */
import type { Deployment } from "../in-process-endpoints.ts";
import { lambdaDeployment } from "../lambda-deployment.ts";
import { StreamDeployment, streamingDeployment } from "../stream-deployment.ts";
import { far, lambda, streaming } from "./services.ts";

const at = (uri: string) => ({
  uri,
  useHttp11: false,
  additionalHeaders: {},
  metadata: {},
  breaking: false,
  dryRun: false,
});

const FIRST = at("http://simulated.test:9080");
export const SECOND = at("http://second.test:9080");
export const REGISTERED = [FIRST, SECOND];

/** @param kind how the first deployment answers */
export function deployment(kind: "lambda" | "streaming"): Deployment {
  const [first, second] = [
    kind === "lambda" ? lambdaDeployment(lambda) : streamingDeployment(streaming),
    lambdaDeployment(far),
  ];
  return (request) => ("uri" in request.destination && isSecond(request.destination) ? second : first)(request);
}

export function isSecond({ uri }: { readonly uri: string }): boolean {
  return uri.startsWith(SECOND.uri);
}

export function streams(): StreamDeployment {
  return new StreamDeployment(streaming);
}
