/** Identities of the emulated account: users and roles, made and changed through IAM as an administrator does. */
import { randomUUID } from "node:crypto";
import { GetFunctionConfigurationCommand, LambdaClient, ListFunctionsCommand } from "@aws-sdk/client-lambda";
import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import type { LocalApi } from "../../localstack/signed-request.mjs";
import { aws } from "./control-plane.ts";
import { signedBy, type Identity } from "./signed-by.ts";

export interface Grant {
  readonly Effect: "Allow";
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

const VERSION = "2012-10-17";
const ROLES_OF_ACCOUNT = "arn:aws:iam::000000000000:role/";
const administrator = aws.plain.credentials;
const sts = new STSClient({});
const lambda = new LambdaClient({});

/**
 * @returns IAM's answer, as XML
 * @throws Error if IAM refuses
 */
export async function iam(
  action: string,
  told: Readonly<Record<string, string>>,
  as: Identity = administrator,
): Promise<string> {
  const { host } = new URL(aws.endpoint);
  const body = new URLSearchParams({ Version: "2010-05-08", Action: action, ...told }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const asked = await signedBy(as, { host }, { method: "POST", headers, body }, { service: "iam" });
  const { host: _host, ...sent } = asked.headers!;
  const response = await fetch(aws.endpoint, { method: "POST", headers: sent, body });
  const text = await response.text();
  if (!response.ok) throw Object.assign(new Error(textOf(text, "Message")), { name: textOf(text, "Code") });
  return text;
}

/** Creates a user with one policy, or without any. */
export async function createUser(grants: readonly Grant[]): Promise<Identity> {
  // An emulator that another run started may have these names already.
  const name = `tried-out-${randomUUID()}`;
  await iam("CreateUser", { UserName: name });
  const made = await iam("CreateAccessKey", { UserName: name });
  if (grants.length > 0) {
    await iam("PutUserPolicy", { UserName: name, PolicyName: "granted", PolicyDocument: documentOf(grants) });
  }
  return { accessKeyId: textOf(made, "AccessKeyId"), secretAccessKey: textOf(made, "SecretAccessKey") };
}

/** @param routes the allowed routes of the API, each as `stage/method/path` */
export function invoking({ host }: LocalApi, ...routes: readonly string[]): readonly Grant[] {
  const arn = `arn:aws:execute-api:us-east-1:000000000000:${host.split(".", 1)[0]}`;
  return [{ Effect: "Allow", Action: "execute-api:Invoke", Resource: routes.map((route) => `${arn}/${route}`) }];
}

/** @param prefix the beginning of the names of the functions, such as the name of a stack */
export async function functionsOf(prefix: string): Promise<readonly string[]> {
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({ MaxItems: 50 }));
  return Functions.map(({ FunctionName }) => FunctionName!).filter((name) => name.startsWith(prefix));
}

/** @returns the name of the role of a function */
export async function roleOf(functionName: string): Promise<string> {
  const { Role } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: functionName }));
  return nameOfArn(Role!);
}

/** In the emulator the administrator may assume a role that trusts a service. */
export async function assume(role: string): Promise<Identity> {
  const RoleArn = `${ROLES_OF_ACCOUNT}${role}`;
  const { Credentials } = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: "tried-out" }));
  const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials!;
  return { accessKeyId: AccessKeyId!, secretAccessKey: SecretAccessKey!, sessionToken: SessionToken! };
}

/** Assumes a role that trusts a service only under conditions. During this call the role trusts the administrator instead. */
export async function assumeAsItsService(role: string): Promise<Identity> {
  const standing = plain(
    decodeURIComponent(textOf(await iam("GetRole", { RoleName: role }), "AssumeRolePolicyDocument")),
  );
  const administrator = { Effect: "Allow", Action: "sts:AssumeRole", Principal: { AWS: "000000000000" } };
  const trust = (document: string) => iam("UpdateAssumeRolePolicy", { RoleName: role, PolicyDocument: document });
  await trust(documentOf([administrator]));
  try {
    return await assume(role);
  } finally {
    await trust(standing);
  }
}

/**
 * Creates a role that trusts `principal`, as the owner of another account would create it for a control plane.
 * @param principal the ARN that the role trusts if the principal sends `externalId`
 */
export async function createRole(
  principal: string,
  externalId: string,
  grants: readonly Grant[],
): Promise<{ readonly name: string; readonly arn: string }> {
  const name = `tried-out-${randomUUID()}`;
  const Condition = { StringEquals: { "sts:ExternalId": externalId } };
  const trust = [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { AWS: principal }, Condition }];
  await iam("CreateRole", { RoleName: name, AssumeRolePolicyDocument: documentOf(trust) });
  await iam("PutRolePolicy", { RoleName: name, PolicyName: "granted", PolicyDocument: documentOf(grants) });
  return { name, arn: `${ROLES_OF_ACCOUNT}${name}` };
}

/**
 * Adds a policy to the role.
 * @returns a function that deletes the policy
 */
export async function grantTo(role: string, grants: readonly Grant[]): Promise<() => Promise<void>> {
  const policy = { RoleName: role, PolicyName: `tried-out-${randomUUID()}` };
  await iam("PutRolePolicy", { ...policy, PolicyDocument: documentOf(grants) });
  return async () => void (await iam("DeleteRolePolicy", policy));
}

/**
 * Removes an action from the policy of a role, and also the action with `Batch` at the end of that name if the policy allows it.
 * @returns a function that restores the rights of the role
 */
export async function takeAway(role: string, action: string): Promise<() => Promise<void>> {
  const policy = { RoleName: role, PolicyName: textOf(await iam("ListRolePolicies", { RoleName: role }), "member") };
  const standing = plain(decodeURIComponent(textOf(await iam("GetRolePolicy", policy), "PolicyDocument")));
  const { Statement: grants } = JSON.parse(standing) as { readonly Statement: readonly Grant[] };
  const left = grants.map((grant) => ({
    ...grant,
    Action: [grant.Action].flat().filter((one) => one !== action && one !== `${action}Batch`),
  }));
  if (!grants.some(({ Action }) => [Action].flat().includes(action))) throw new Error(`${role} may not ${action}`);
  const put = (document: string) => iam("PutRolePolicy", { ...policy, PolicyDocument: document });
  await put(documentOf(left.filter(({ Action }) => Action.length > 0)));
  return async () => void (await put(standing));
}

export async function roleNames(): Promise<readonly string[]> {
  const answer = await iam("ListRoles", { MaxItems: "1000" });
  return [...answer.matchAll(/<RoleName>([^<]+)</g)].map(([, name]) => name!);
}

export function documentOf(grants: readonly object[]): string {
  return JSON.stringify({ Version: VERSION, Statement: grants });
}

export function textOf(xml: string, element: string): string {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? [];
  if (text === undefined) throw new Error(`no ${element} in ${xml}`);
  return text;
}

function plain(xml: string): string {
  return xml.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

function nameOfArn(arn: string): string {
  return arn.slice(arn.lastIndexOf("/") + 1);
}
