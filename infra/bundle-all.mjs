/** What `cdk` runs first: it bundles the functions and the app itself, so that nothing but Node and the installed packages is needed. */
import { join } from "node:path";
import { build } from "esbuild";
import { bundleFunctions, FUNCTIONS_FOLDER, productEntries } from "./bundle.mjs";

const APP = join(import.meta.dirname, "../.cache/infra/app.mjs");

await bundleFunctions(productEntries(), FUNCTIONS_FOLDER);
await build({
  entryPoints: [join(import.meta.dirname, "app.ts")],
  outfile: APP,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  packages: "external",
  logLevel: "warning",
});
