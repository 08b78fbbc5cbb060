/** Deploys a CDK app of one's own to an emulated AWS: synthesizes it, adapts its templates, and deploys them. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cdk } from "../infra/build/cdk.mjs";
import { clientEnvironment } from "./deploy.mjs";
import { emulatedTemplate } from "./emulated-template.mjs";

const WORK = join(import.meta.dirname, "../.cache/localstack/own-app");

/**
 * @param app the command of the app, as `cdk --app` takes it
 * @param folder the folder in which the command runs
 * @returns the outputs of each stack
 */
export async function deployOwnApp({ endpoint, app, folder }) {
  const [assembly, outputs] = [join(WORK, "cdk.out"), join(WORK, "outputs.json")];
  for (const path of [assembly, outputs]) rmSync(path, { recursive: true, force: true });
  mkdirSync(WORK, { recursive: true });
  const env = clientEnvironment(endpoint);
  await cdk(["synth", "--quiet", "--all", "--app", app, "--output", assembly], { cwd: folder, env });
  for (const name of readdirSync(assembly, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".template.json")) continue;
    const file = join(assembly, name);
    writeFileSync(file, JSON.stringify(emulatedTemplate(JSON.parse(readFileSync(file, "utf8")), endpoint)));
  }
  const args = ["deploy", "--all", "--require-approval", "never", "--app", assembly, "--outputs-file", outputs];
  await cdk(args, { cwd: folder, env });
  return JSON.parse(readFileSync(outputs, "utf8"));
}
