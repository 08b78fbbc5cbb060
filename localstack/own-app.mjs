/** Deploys a CDK app of one's own to an emulated AWS: synthesizes it, adapts its templates, and deploys them. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cdk } from "../infra/build/cdk.mjs";
import { clientEnvironment } from "./deploy.mjs";

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

const SCHEDULES = "arn:aws:scheduler:*:*:schedule/*";

/**
 * @param {object} template the synthesized template, which stays unchanged
 * @param {string} endpoint the address of the emulator
 * @returns {Record<string, unknown>} the changed template
 */
export function emulatedTemplate(template, endpoint) {
  const resources = Object.entries(template.Resources ?? {});
  const gone = new Set(resources.filter(([, resource]) => hasNoCounterpart(resource)).map(([id]) => id));
  const apis = new Set(resources.filter(([, { Type }]) => Type === "AWS::ApiGatewayV2::Api").map(([id]) => id));
  const kept = resources.filter(([id]) => !gone.has(id)).map(([id, one]) => [id, withoutDependencies(one, gone)]);
  const changed = { ...template, Resources: Object.fromEntries(kept) };
  return mapped(changed, (value) => emulatedValue(value, apis, endpoint));
}

/** Alarms on sums of metrics, and policies that only refuse plain HTTP, the single protocol of the emulator. */
function hasNoCounterpart({ Type, Properties = {} }) {
  if (Type === "AWS::CloudWatch::Alarm")
    return (Properties.Metrics ?? []).some(({ Expression }) => Expression !== undefined);
  const statements = Properties.PolicyDocument?.Statement;
  return Array.isArray(statements) && statements.length > 0 && statements.every(refusesPlainHttp);
}

function withoutDependencies({ DependsOn, ...resource }, gone) {
  if (DependsOn === undefined) return resource;
  const left = [DependsOn].flat().filter((id) => !gone.has(id));
  return left.length === 0 ? resource : { ...resource, DependsOn: left };
}

function emulatedValue(value, apis, endpoint) {
  const api = value["Fn::GetAtt"]?.[1] === "ApiEndpoint" ? value["Fn::GetAtt"][0] : undefined;
  // Few machines resolve names below `localhost`, so an API is addressed by its path.
  if (apis.has(api)) return { "Fn::Join": ["", [`${endpoint}/_aws/execute-api/`, { Ref: api }]] };
  if (Array.isArray(value.Statement))
    return { ...value, Statement: value.Statement.filter((one) => !refusesPlainHttp(one)).map(emulatedStatement) };
  return value;
}

function refusesPlainHttp({ Effect, Condition }) {
  return Effect === "Deny" && String(Condition?.Bool?.["aws:SecureTransport"]) === "false";
}

/** The emulator knows neither the tags of functions in policies nor the group of a schedule. */
function emulatedStatement(statement) {
  const actions = [statement.Action ?? []].flat();
  const { Condition, ...open } = statement;
  const isByTag = JSON.stringify(Condition ?? {}).includes("aws:ResourceTag/");
  if (isByTag && actions.includes("lambda:InvokeFunction")) return open;
  return actions.some((action) => action.startsWith("scheduler:")) ? { ...statement, Resource: SCHEDULES } : statement;
}

/** @param change is called for each object, after the objects in it */
function mapped(value, change) {
  if (Array.isArray(value)) return value.map((one) => mapped(one, change));
  if (typeof value !== "object" || value === null) return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, change)])));
}
