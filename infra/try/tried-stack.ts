/** The stack of a trial: a control plane behind IAM, with registered handlers. */
import { CfnOutput, Duration, Fn, RemovalPolicy, Stack, type App } from "aws-cdk-lib";
import { Architecture, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { StepwellDeployment } from "../stepwell-deployment.ts";
import { Stepwell, type StepwellProps } from "../stepwell.ts";
import { STACK_DESCRIPTION } from "./stack-name.ts";

/** Adjustments for an emulator, which checks and names some resources differently from AWS. */
export interface EmulatorProps extends Pick<StepwellProps, "sslOnly" | "handlerArns" | "scheduleArns"> {
  /** The emulator serves each API by its id below this address, for clients that cannot resolve the API's host name. */
  readonly apisUrl?: string;
}

/** A new account may have a limit of ten concurrent executions, and the checks need no more workers than this number. */
const WORKER_CONCURRENCY_MAX = 3;
const HANDLERS_MEMORY_MB = 256;
const FOR_A_WHILE = { removalPolicy: RemovalPolicy.DESTROY, logRetention: RetentionDays.ONE_DAY };

/** @param codeFolder the folder that contains one folder with code for each function of the product, and the folder `handlers` */
export function triedStack(app: App, name: string, codeFolder: string, emulator: EmulatorProps = {}): Stack {
  const { apisUrl, ...judged } = emulator;
  const stack = new Stack(app, name, { description: STACK_DESCRIPTION });
  const stepwell = new Stepwell(stack, "Stepwell", {
    ...FOR_A_WHILE,
    codeFolder,
    environmentName: name,
    ingressAuth: "iam",
    workerConcurrencyMax: WORKER_CONCURRENCY_MAX,
    // Alarms and dashboards are billed monthly, and a trial of an hour does not need them.
    alarms: false,
    dashboard: false,
    ...judged,
  });
  const handlers = handlersIn(stack, codeFolder).currentVersion;
  const { admin } = stepwell;
  const deployment = new StepwellDeployment(stack, "Deployment", {
    admin:
      apisUrl === undefined
        ? admin
        : { environment: admin.environment, arn: admin.arn, url: Fn.join("/", [apisUrl, idIn(admin.url), "$default"]) },
    handlers,
    codeFolder,
  });
  deployment.node.addDependency(stepwell);
  for (const [output, value] of Object.entries(stepwell.outputs)) new CfnOutput(stack, output, { value });
  return stack;
}

function handlersIn(stack: Stack, codeFolder: string): LambdaFunction {
  const { removalPolicy, logRetention: retention } = FOR_A_WHILE;
  return new LambdaFunction(stack, "Handlers", {
    code: Code.fromAsset(`${codeFolder}/handlers`),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: HANDLERS_MEMORY_MB,
    timeout: Duration.minutes(1),
    logGroup: new LogGroup(stack, "HandlersLog", { retention, removalPolicy }),
  });
}

/** The host of an API begins with its id. */
function idIn(url: string): string {
  return Fn.select(0, Fn.split(".", Fn.select(1, Fn.split("//", url))));
}
