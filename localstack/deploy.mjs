/** Deploys CDK apps to an emulated AWS with the stock command, as one would to the real one. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cdk } from "../infra/cdk.mjs";

const ROOT = join(import.meta.dirname, "..");
const WORK = join(ROOT, ".cache/localstack");
const REGION = "us-east-1";
const ACCOUNT = "000000000000";

/** How an emulator judges what AWS judges otherwise: it knows neither the tags of functions nor the group of a schedule. */
export function emulatorContext(handlersName) {
  return {
    "keep-data": "false",
    // On this machine a call is to be one line of curl.
    "ingress-auth": "open",
    // Plain HTTP is all that it speaks.
    "ssl-only": "false",
    // Alarms on sums of metrics are unknown to it.
    alarms: "false",
    "handler-arns": `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${handlersName}*`,
    "schedule-arns": `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule/*`,
  };
}

/** What every client of the emulator has in its environment. */
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
    // The command remembers accounts by their keys, and another emulator may have the same keys.
    CDK_HOME: join(WORK, "cdk-home"),
  };
}

/** Makes what the CDK itself needs: a bucket for code, and the roles as which it deploys. */
export async function bootstrap(endpoint) {
  mkdirSync(WORK, { recursive: true });
  const inWork = { cwd: WORK, env: clientEnvironment(endpoint) };
  const template = await cdk(["bootstrap", "--show-template"], inWork);
  const file = join(WORK, "bootstrap.yaml");
  writeFileSync(file, withoutStagingPolicy(template));
  await cdk(["bootstrap", `aws://${ACCOUNT}/${REGION}`, "--template", file], inWork);
}

/** The policy of the bucket refuses plain HTTP, which is all that an emulator speaks. */
function withoutStagingPolicy(template) {
  return template.replace(/^ {2}StagingBucketPolicy:\n(?: {3,}.*\n|\n)*/m, "");
}

/**
 * @param app the command that synthesises; the product's own where none is given
 * @param context `-c` of the command
 * @returns the outputs of the stack
 */
export async function deploy({ endpoint, name, app, context = {} }) {
  const outputs = join(WORK, `${name}.json`);
  const args = ["deploy", "--require-approval", "never", "--output", join(WORK, `${name}.out`)];
  args.push("--outputs-file", outputs, ...(app === undefined ? [] : ["--app", app]));
  for (const [key, value] of Object.entries({ ...context, name })) args.push("-c", `${key}=${value}`);
  await cdk(args, { cwd: ROOT, env: clientEnvironment(endpoint) });
  return JSON.parse(readFileSync(outputs, "utf8"))[name];
}
