/**
 * Bundles the command `try` and its CDK app, and runs the command. This file passes to the command those functions of other
 * scripts that must stay outside of the bundle.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { clientEnvironment, emulatorContext } from "../../localstack/deploy.mjs";
import { localApi } from "../../localstack/signed-request.mjs";
import { bundleFunctions, productEntries } from "../build/bundle.mjs";
import { cdk } from "../build/cdk.mjs";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".cache/try");

/** @param argv the arguments of a process @returns the exit code */
export async function run(argv) {
  mkdirSync(FOLDER, { recursive: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["infra/try/try.ts", "infra/try/app.ts"],
    outdir: FOLDER,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  const { main } = await import("../../.cache/try/try.js");
  const bundle = (folder) =>
    bundleFunctions({ ...productEntries(), handlers: "infra/try/handlers.ts" }, folder, { quiet: true });
  return await main(argv, { root: ROOT, folder: FOLDER, cdk, bundle, emulatorContext, clientEnvironment, localApi });
}
