/** A deployment that is registered with the stack that it belongs to: handlers that cannot be registered fail the deployment of their stack. */
import { createHash } from "node:crypto";
import { CustomResource, RemovalPolicy, Stack, Tags } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Alias, Function as LambdaFunction, IAlias, IFunction, IVersion, Version } from "aws-cdk-lib/aws-lambda";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { AdminApiReference } from "./apis.ts";
import { bundledFunction } from "./bundled-function.ts";
import { HANDLER_TAG } from "./grants.ts";
import { allowLogEncryption } from "./log-encryption.ts";
import { PACKED_CODE } from "./packed-code.ts";
import { DEPLOY_TIMEOUT } from "./time-outs.ts";

/** The classes are named beside their interfaces because, read strictly, they do not fit them. */
export type QualifiedFunction = IVersion | Version | IAlias | Alias;

export interface StepwellDeploymentProps {
  /** Of a `Stepwell`, as its `admin`. */
  readonly admin: AdminApiReference;
  /**
   * The handlers: a version or an alias of a function, which gets the tag by which this control plane may call it, or
   * an address. Invocations go on with the version that they began with, so that old versions have to stay
   * (`currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN }`).
   */
  readonly handlers: QualifiedFunction | { readonly url: string };
  /** Sent with each request to the deployment; changed in place where it is registered already. They stand in the template: no place for secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The role as which the function is called. */
  readonly assumeRoleArn?: string;
  /** Speaks HTTP/1.1 to an `http` address. */
  readonly useHttp11?: boolean;
  /** Replaces what is registered under the same address, such as an alias that was moved, which may leave invocations in flight unable to go on. */
  readonly force?: boolean;
  /**
   * Removes the deployment with its resource, and a former version when another takes its place, also where invocations
   * still need it: for handlers that come and go with a test. It stays registered, unless told.
   */
  readonly removeOnDelete?: boolean;
  /** How long the log of the registering function is kept; by default a month. The first deployment of a stack at an admin API decides. */
  readonly logRetention?: RetentionDays;
  /** Encrypts the log of the registering function, on the terms of `encryptionKey` of a `Stepwell`; by default AWS's own key. The first deployment of a stack at an admin API decides. */
  readonly encryptionKey?: IKey;
  /** Holds a folder `registrar` with the code that registers; what is packed with this construct unless told. */
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
        // The address of an alias stays, so that nothing else would tell that there is something new behind it.
        ...("aliasName" in handlers && { Version: handlers.version.version }),
      },
    });
    // Its role may do what it has to before it is called.
    resource.node.addDependency(registrar);
    // An admin API of the same stack answers at its address before the routes behind it are there, and after they have gone.
    if (Construct.isConstruct(admin)) resource.node.addDependency(admin);
    this.deploymentId = resource.getAttString("DeploymentId");
  }
}

/** The environment that may call a function of this app. */
const CALLED_BY = new WeakMap<IFunction, string>();

/** A tag has one value: a second environment has to name the function in its `handlerArns`. */
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

/** One for each stack and admin API, however many deployments are registered there. */
function registrarOf(scope: Construct, props: StepwellDeploymentProps): LambdaFunction {
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
    grants: [new PolicyStatement({ actions: ["execute-api:Invoke"], resources })],
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
