/**
 * The build step of `cdk.json`: bundles the functions and the CDK app, so that only Node and the installed packages are
 * needed.
 */
import { join } from "node:path";
import { build } from "esbuild";
import { bundleFunctions, FUNCTIONS_FOLDER, productEntries } from "./bundle.mjs";

const APP = join(import.meta.dirname, "../../.cache/infra/app.mjs");

await bundleFunctions(productEntries(), FUNCTIONS_FOLDER);
await build({
  entryPoints: [join(import.meta.dirname, "../app.ts")],
  outfile: APP,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  packages: "external",
  logLevel: "warning",
});
