/** A function of the product: one bundled file, its own role, and a log with a retention. */
import { join } from "node:path";
import type { Duration, RemovalPolicy } from "aws-cdk-lib";
import { Role, ServicePrincipal, type PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  Runtime,
  Tracing,
  type RecursiveLoop,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { acknowledgeWildcards } from "../resources/acknowledged.ts";
import { granting, joining, tracing } from "./grants.ts";
import type { FunctionNetwork } from "./network.ts";

/**
 * With this memory a function has a third of a processor, which is enough to decompress journals. More memory would only
 * raise the price of waiting.
 */
const MEMORY_MB = 512;

export interface BundledFunctionProps {
  /** Contains the code of each function in a folder named like the function, in lower case. */
  readonly codeFolder: string;
  readonly timeout: Duration;
  /** 512 MB by default, a third of a processor. */
  readonly memoryMb?: number | undefined;
  readonly grants: readonly PolicyStatement[];
  readonly variables?: Record<string, string>;
  readonly logRetention: RetentionDays;
  /** The key that encrypts the log; by default AWS's own key. */
  readonly encryptionKey?: IKey;
  readonly removalPolicy: RemovalPolicy;
  readonly recursiveLoop?: RecursiveLoop;
  /** The concurrent executions that this function reserves from the account's; they are also its limit. By default none. */
  readonly reservedConcurrency?: number | undefined;
  /** Whether the function sends traces to X-Ray; by default it does not. */
  readonly xray?: boolean | undefined;
  /** The network that the function runs in; by default Lambda's own network, which reaches only public addresses. */
  readonly network?: FunctionNetwork | undefined;
}

/** @param name the name of the construct; its role and log are `<name>Role` and `<name>Log` beside it */
export function bundledFunction(scope: Construct, name: string, props: BundledFunctionProps): LambdaFunction {
  const {
    codeFolder,
    timeout,
    memoryMb = MEMORY_MB,
    grants,
    variables = {},
    logRetention,
    encryptionKey,
    removalPolicy,
    recursiveLoop,
    reservedConcurrency,
    xray = false,
    network,
  } = props;
  const logGroup = new LogGroup(scope, `${name}Log`, {
    retention: logRetention,
    removalPolicy,
    ...(encryptionKey !== undefined && { encryptionKey }),
  });
  const role = new Role(scope, `${name}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
  const all = [
    granting("writesLog", [logGroup.logGroupArn]),
    ...grants,
    ...(xray ? [tracing()] : []),
    ...(network === undefined ? [] : [joining()]),
  ];
  for (const grant of all) role.addToPolicy(grant);
  acknowledgeWildcards(role, all);
  return new LambdaFunction(scope, name, {
    code: Code.fromAsset(join(codeFolder, name.toLowerCase())),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: memoryMb,
    timeout,
    role,
    logGroup,
    environment: variables,
    ...(recursiveLoop !== undefined && { recursiveLoop }),
    ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
    ...network,
    ...(xray && { tracing: Tracing.ACTIVE }),
  });
}
