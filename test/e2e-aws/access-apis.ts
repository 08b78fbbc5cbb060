/** Deploys the stack of `access-apis-app.ts` with the CDK. */
import { join } from "node:path";
import { build } from "esbuild";
import { deploy } from "../../localstack/deploy.mjs";
import { localApi, type LocalApi } from "../../localstack/signed-request.mjs";
import { aws } from "./control-plane.ts";

export interface AccessApis {
  readonly iam: LocalApi;
  readonly jwt: LocalApi;
  /** The deployment that the stack has registered. */
  readonly deploymentId: string;
}

export interface AccessOptions {
  readonly issuer: string;
  readonly audience: string;
  /** The address of the handlers that the stack registers. */
  readonly handlers: string;
}

export const ACCESS_STACK = "StepwellAccess";
const CACHE = join(import.meta.dirname, "../../.cache");

/**
 * Deploys APIs in front of the ingress of the plain control plane.
 * @throws Error with the output of the deployment
 */
export async function deployAccessApis(options: AccessOptions): Promise<AccessApis> {
  const outfile = join(CACHE, "e2e-aws/access-apis-app.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "access-apis-app.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  const [adminApi] = aws.plain.admin.host.split(".", 1) as [string];
  const outputs = await deploy({
    endpoint: aws.endpoint,
    name: ACCESS_STACK,
    app: `node ${outfile}`,
    context: {
      ...options,
      "ingress-function": aws.plain.outputs["IngressFunction"]!,
      "admin-api": adminApi,
      // The id of the API is in the path, because not every machine resolves subdomains of `localhost`.
      "admin-url": `${aws.endpoint}/_aws/execute-api/${adminApi}/$default`,
      // The functions that the control plane was deployed from.
      "code-folder": join(CACHE, "functions"),
    },
  });
  const { IamUrl, JwtUrl, DeploymentId } = outputs;
  return {
    iam: localApi(IamUrl!, aws.endpoint),
    jwt: localApi(JwtUrl!, aws.endpoint),
    deploymentId: DeploymentId!,
  };
}
