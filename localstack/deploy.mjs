/** Deploys CDK apps to an emulated AWS with the regular `cdk` command. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cdk } from "../infra/build/cdk.mjs";

const ROOT = join(import.meta.dirname, "..");
const WORK = join(ROOT, ".cache/localstack");
const REGION = "us-east-1";
const ACCOUNT = "000000000000";

/**
 * The context for an emulator. The ARNs are patterns, because the emulator supports neither tags of functions in
 * policies nor the group of a schedule.
 */
export function emulatorContext(handlersName) {
  return {
    "keep-data": "false",
    // On the emulator a call needs no signature, so that one line of curl is enough.
    "ingress-auth": "open",
    // The emulator supports only plain HTTP.
    "ssl-only": "false",
    // The emulator does not support alarms on sums of metrics.
    alarms: "false",
    "handler-arns": `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${handlersName}*`,
    "schedule-arns": `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule/*`,
  };
}

/**
 * The environment of every client of the emulator.
 * @param {string} endpoint
 * @returns {Readonly<Record<string, string>>}
 */
export function clientEnvironment(endpoint) {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? "test",
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? "test",
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_EC2_METADATA_DISABLED: "true",
    CDK_DISABLE_CLI_TELEMETRY: "true",
    CDK_DISABLE_VERSION_CHECK: "1",
    // The `cdk` command caches accounts by their access keys, and another emulator may have the same access keys.
    CDK_HOME: join(WORK, "cdk-home"),
  };
}

/** Creates the CDK's own resources: a bucket for code, and the roles for deployments. */
export async function bootstrap(endpoint) {
  mkdirSync(WORK, { recursive: true });
  const inWork = { cwd: WORK, env: clientEnvironment(endpoint) };
  const template = await cdk(["bootstrap", "--show-template"], inWork);
  const file = join(WORK, "bootstrap.yaml");
  writeFileSync(file, withoutStagingPolicy(template));
  await cdk(["bootstrap", `aws://${ACCOUNT}/${REGION}`, "--template", file], inWork);
}

/** Removes the policy of the staging bucket, because it refuses plain HTTP, the only protocol of the emulator. */
function withoutStagingPolicy(template) {
  return template.replace(/^ {2}StagingBucketPolicy:\n(?: {3,}.*\n|\n)*/m, "");
}

/** @returns the folder of the app that `deploy` synthesized under this name; `deploy` accepts the folder as `app` */
export function assemblyOf(name) {
  return join(WORK, `${name}.out`);
}

/**
 * @param {object} wanted
 * @param {string} wanted.endpoint of the emulator
 * @param {string} wanted.name of the stack
 * @param {string} [wanted.app] the command that synthesizes; by default the product's own app
 * @param {Readonly<Record<string, string>>} [wanted.context] the `-c` arguments of the command
 * @returns {Promise<Readonly<Record<string, string>>>} the outputs of the stack
 */
export async function deploy({ endpoint, name, app, context = {} }) {
  const outputs = join(WORK, `${name}.json`);
  const args = ["deploy", "--require-approval", "never", "--output", assemblyOf(name)];
  args.push("--outputs-file", outputs, ...(app === undefined ? [] : ["--app", app]));
  for (const [key, value] of Object.entries({ ...context, name })) args.push("-c", `${key}=${value}`);
  await cdk(args, { cwd: ROOT, env: clientEnvironment(endpoint) });
  return JSON.parse(readFileSync(outputs, "utf8"))[name];
}
