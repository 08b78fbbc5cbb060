/** A deployment that is registered together with its stack; a failed registration fails the deployment of the stack. */
import { createHash } from "node:crypto";
import { CustomResource, RemovalPolicy, Stack, Tags } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Alias, Function as LambdaFunction, IAlias, IFunction, IVersion, Version } from "aws-cdk-lib/aws-lambda";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { AdminApiReference } from "./apis.ts";
import { bundledFunction } from "./lambda/bundled-function.ts";
import { granting, HANDLER_TAG } from "./lambda/grants.ts";
import { allowLogEncryption } from "./resources/log-encryption.ts";
import { PACKED_CODE } from "./packed-code.ts";
import { DEPLOY_TIMEOUT } from "./resources/time-outs.ts";

/** The type includes classes and interfaces, because in strict mode the classes do not match their interfaces. */
export type QualifiedFunction = IVersion | Version | IAlias | Alias;

export interface StepwellDeploymentProps {
  /** The `admin` of a `Stepwell`. */
  readonly admin: AdminApiReference;
  /**
   * The handlers: an address, or a version or an alias of a function. The function gets the tag that allows this control
   * plane to call it. Invocations continue with the version that they began with, so old versions must remain
   * (`currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN }`).
   */
  readonly handlers: QualifiedFunction | { readonly url: string };
  /**
   * Sent with each request to the deployment; a change updates a registered deployment in place. The template shows the
   * values, so they must not be secrets.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** The ARN of a role that Stepwell assumes to call the function. */
  readonly assumeRoleArn?: string;
  /** Uses HTTP/1.1 for an `http` address. */
  readonly useHttp11?: boolean;
  /**
   * Replaces the deployment at the same address, for example after an alias has moved. Invocations in flight may then be
   * unable to continue.
   */
  readonly force?: boolean;
  /**
   * Removes the deployment when its resource is deleted or a new version replaces it, even if invocations still need it.
   * Meant for short-lived handlers of tests. By default the deployment stays registered.
   */
  readonly removeOnDelete?: boolean;
  /**
   * How long the log of the registering function is kept; by default a month. If a stack has several deployments at one
   * admin API, the first one decides.
   */
  readonly logRetention?: RetentionDays;
  /**
   * Encrypts the log of the registering function; by default AWS's own key does. The policy of the key must admit CloudWatch
   * Logs, as for `encryptionKey` of a `Stepwell`. If a stack has several deployments at one admin API, the first one decides.
   */
  readonly encryptionKey?: IKey;
  /** The folder that contains `registrar`, the code of the registering function; by default the code in this package. */
  readonly codeFolder?: string;
}

const REGISTRAR = "StepwellRegistrar";
const HASH_CHARACTERS = 8;

export class StepwellDeployment extends Construct {
  readonly deploymentId: string;

  constructor(scope: Construct, id: string, props: StepwellDeploymentProps) {
    super(scope, id);
    const { admin, handlers, headers, assumeRoleArn, useHttp11, force, removeOnDelete = false } = props;
    const registrar = registrarOf(this, props);
    const request = {
      ...("url" in handlers ? { uri: handlers.url } : { arn: handlers.functionArn }),
      ...(headers !== undefined && { additional_headers: headers }),
      ...(assumeRoleArn !== undefined && { assume_role_arn: assumeRoleArn }),
      ...(useHttp11 !== undefined && { use_http_11: useHttp11 }),
      ...(force !== undefined && { force }),
    };
    if (!("url" in handlers)) letBeCalled(functionOf(handlers), admin);
    const resource = new CustomResource(this, "Deployment", {
      serviceToken: registrar.functionArn,
      resourceType: "Custom::StepwellDeployment",
      serviceTimeout: DEPLOY_TIMEOUT,
      properties: {
        AdminUrl: admin.url,
        Request: Stack.of(this).toJsonString(request),
        RemoveOnDelete: String(removeOnDelete),
        // The address of an alias does not change, so the version number signals a new version behind it.
        ...("aliasName" in handlers && { Version: handlers.version.version }),
      },
    });
    // The role must have its grants before the function is called.
    resource.node.addDependency(registrar);
    // An admin API of the same stack answers at its address before its routes exist, and after their deletion.
    if (Construct.isConstruct(admin)) resource.node.addDependency(admin);
    this.deploymentId = resource.getAttString("DeploymentId");
  }
}

/** The environment that the tag of each function names. */
const CALLED_BY = new WeakMap<IFunction, string>();

/** Tags the function. A tag has one value, so a second environment must name the function in its `handlerArns`. */
function letBeCalled(handlers: IFunction, { environment }: AdminApiReference): void {
  if (environment === undefined || environment === "") {
    throw new Error("admin: environment is missing, the name of the control plane that is to call these handlers");
  }
  const standing = CALLED_BY.get(handlers) ?? environment;
  if (standing !== environment) {
    throw new Error(
      `handlers: ${handlers.node.path} is registered with ${standing} and ${environment}, and its tag names one environment. Name the function in handlerArns of the other one, and register it there by a call of the admin API`,
    );
  }
  CALLED_BY.set(handlers, environment);
  Tags.of(handlers).add(HANDLER_TAG, environment);
}

function functionOf(handlers: QualifiedFunction): IFunction {
  return "aliasName" in handlers ? handlers.version.lambda : handlers.lambda;
}

/** One registering function per stack and admin API, shared by all deployments there. */
export function registrarOf(
  scope: Construct,
  props: Pick<StepwellDeploymentProps, "admin" | "encryptionKey" | "codeFolder" | "logRetention">,
): LambdaFunction {
  const { admin, encryptionKey } = props;
  const stack = Stack.of(scope);
  const id = `${REGISTRAR}${hashOf(stack.resolve(admin.arn))}`;
  const place = (stack.node.tryFindChild(id) as Construct | undefined) ?? new Construct(stack, id);
  const standing = place.node.tryFindChild("Registrar") as LambdaFunction | undefined;
  if (standing !== undefined) return standing;
  const routes = ["POST/deployments", "PATCH/deployments/*", "DELETE/deployments/*"];
  const resources = routes.map((route) => `${admin.arn}/*/${route}`);
  const registrar = bundledFunction(place, "Registrar", {
    codeFolder: props.codeFolder ?? PACKED_CODE,
    timeout: DEPLOY_TIMEOUT,
    grants: [granting("registers", resources)],
    logRetention: props.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(encryptionKey !== undefined && { encryptionKey }),
  });
  if (encryptionKey !== undefined) allowLogEncryption(place, encryptionKey);
  return registrar;
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, HASH_CHARACTERS);
}
