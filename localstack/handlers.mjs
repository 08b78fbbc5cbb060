/** Deploys functions with handlers, and registers deployments with a control plane. */
import { join } from "node:path";
import { build } from "esbuild";
import { bundleFunctions } from "../infra/build/bundle.mjs";
import { deploy } from "./deploy.mjs";
import { send } from "./signed-request.mjs";

const CACHE = join(import.meta.dirname, "../.cache/localstack");

/**
 * @param entry the source file of the function, relative to the root of the repository
 * @returns the ARN of its version
 */
export async function deployHandlers({ endpoint, name, functionName, entry }) {
  const folder = join(CACHE, "handlers");
  await bundleFunctions({ [functionName]: entry }, folder);
  const appFile = join(CACHE, "handlers-app.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "example/app.ts")],
    outfile: appFile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  const context = { "function-name": functionName, "code-folder": join(folder, functionName) };
  return (await deploy({ endpoint, name, app: `node ${appFile}`, context })).HandlerArn;
}

/** @param address `{ arn }` or `{ uri }` @throws Error with the answer of the admin API */
export async function register(admin, credentials, address) {
  const { status, text } = await send(admin, {
    method: "POST",
    path: "/deployments",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(address),
    credentials,
  });
  if (status !== 200 && status !== 201) throw new Error(`POST /deployments answered ${status}: ${text}`);
  return JSON.parse(text);
}
