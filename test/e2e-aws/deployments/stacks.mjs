/** Bundles, deploys and destroys the stacks of handlers that register themselves. */
import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { bundleFunctions, FUNCTIONS_FOLDER, productEntries } from "../../../infra/build/bundle.mjs";
import { cdk } from "../../../infra/build/cdk.mjs";
import { clientEnvironment, deploy } from "../../../localstack/deploy.mjs";

const ROOT = join(import.meta.dirname, "../../..");
const CACHE = join(ROOT, ".cache/e2e-aws/deployments");
const HERE = "test/e2e-aws/deployments";
const SHOP = { shop: `${HERE}/shop.ts` };

/** @returns the folder with the handlers and the product's registrar */
export async function bundleShop() {
  const folder = join(CACHE, "shop");
  await bundleFunctions({ ...SHOP, registrar: productEntries().registrar }, folder, { quiet: true });
  return folder;
}

/** @returns the folder with the handlers, the product, and a registrar that calls the emulated API by its path */
export async function bundleWhole() {
  const folder = join(CACHE, "whole");
  await bundleFunctions({ ...SHOP, registrar: `${HERE}/registrar.ts` }, folder, { quiet: true });
  // The functions that the control planes of the suite were deployed from.
  cpSync(FUNCTIONS_FOLDER, folder, { recursive: true, filter: (path) => basename(path) !== "registrar" });
  return folder;
}

/**
 * @param name of the assembly
 * @returns its folder
 */
export function assembly(name) {
  return join(CACHE, `${name}.out`);
}

/**
 * @returns the outputs of the stack
 * @throws Error with the last output of `cdk`
 */
export async function deployAssembly(endpoint, name, stackName) {
  return await deploy({ endpoint, name: stackName, app: assembly(name) });
}

export async function destroyAssembly(endpoint, name, stackName) {
  const args = ["destroy", "--force", "--app", assembly(name), stackName];
  await cdk(args, { cwd: ROOT, env: clientEnvironment(endpoint) });
}
