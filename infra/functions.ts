/** The four functions, each with a role of its own that grants what it does and nothing else. */
import { join } from "node:path";
import type { Duration, RemovalPolicy } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Role as IamRole } from "aws-cdk-lib/aws-iam";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, RecursiveLoop, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { SettingPath } from "../shared/config/settings-table.ts";
import { variableOf } from "../shared/config/settings-table.ts";
import { driving, finishing, forgetting, handlerCalls, readingIndexes, receiving, roleAssuming } from "./grants.ts";
import { REQUEST_TIMEOUT, SWEEPER_TIMEOUT, WORKER_TIMEOUT } from "./time-outs.ts";

/** Gives a third of a processor: enough to unpack a journal, and the memory is what waiting costs. */
const MEMORY_MB = 512;
const WORKER_CONCURRENCY_MAX = 100;
const BATCH_MESSAGES = 10;

export interface StepwellFunctionsProps {
  readonly codeFolder: string;
  readonly settings?: Partial<Readonly<Record<SettingPath, string>>>;
  readonly handlerArns?: readonly string[];
  readonly assumableRoleArns?: readonly string[];
  readonly scheduleArns?: readonly string[];
  readonly workerConcurrencyMax?: number;
  readonly table: TableV2;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly groupName: string;
  readonly scheduleRole: IamRole;
  readonly removalPolicy: RemovalPolicy;
}

export class StepwellFunctions extends Construct {
  readonly ingress: LambdaFunction;
  readonly admin: LambdaFunction;
  readonly worker: LambdaFunction;
  readonly sweeper: LambdaFunction;
  readonly #props: StepwellFunctionsProps;

  constructor(scope: Construct, id: string, props: StepwellFunctionsProps) {
    super(scope, id);
    this.#props = props;
    const { queue, deadLetters, table } = props;
    const roles = props.assumableRoleArns ?? [];
    const drives = [
      ...driving(this, props),
      handlerCalls(this, props.handlerArns),
      ...(roles.length === 0 ? [] : [roleAssuming(roles)]),
    ];
    this.ingress = this.#make("Ingress", REQUEST_TIMEOUT, drives);
    this.admin = this.#make("Admin", REQUEST_TIMEOUT, [...drives, readingIndexes(table), forgetting(table)]);
    this.worker = this.#make("Worker", WORKER_TIMEOUT, [...drives, finishing(queue)], {
      recursiveLoop: RecursiveLoop.ALLOW,
    });
    this.worker.addEventSource(
      new SqsEventSource(queue, {
        batchSize: BATCH_MESSAGES,
        reportBatchItemFailures: true,
        maxConcurrency: props.workerConcurrencyMax ?? WORKER_CONCURRENCY_MAX,
      }),
    );
    const sweeps = [readingIndexes(table), forgetting(table), receiving(deadLetters), finishing(deadLetters)];
    this.sweeper = this.#make("Sweeper", SWEEPER_TIMEOUT, [...drives, ...sweeps]);
    this.sweeper.addEnvironment(variableOf("aws.dead-letter-queue-url"), deadLetters.queueUrl);
  }

  #make(
    name: string,
    timeout: Duration,
    grants: readonly PolicyStatement[],
    more: { readonly recursiveLoop?: RecursiveLoop } = {},
  ): LambdaFunction {
    const { removalPolicy, codeFolder } = this.#props;
    const logGroup = new LogGroup(this, `${name}Log`, { retention: RetentionDays.ONE_MONTH, removalPolicy });
    const role = new Role(this, `${name}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    const writesLog = { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [logGroup.logGroupArn] };
    for (const grant of [new PolicyStatement(writesLog), ...grants]) role.addToPolicy(grant);
    return new LambdaFunction(this, name, {
      code: Code.fromAsset(join(codeFolder, name.toLowerCase())),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_MB,
      timeout,
      role,
      logGroup,
      environment: this.#environment(),
      ...more,
    });
  }

  #environment(): Record<string, string> {
    const { settings = {}, table, queue, groupName, scheduleRole } = this.#props;
    const all: Partial<Record<SettingPath, string>> = {
      ...settings,
      "aws.table": table.tableName,
      "aws.queue-url": queue.queueUrl,
      "aws.queue-arn": queue.queueArn,
      "aws.schedule-group": groupName,
      "aws.schedule-role-arn": scheduleRole.roleArn,
    };
    return Object.fromEntries(Object.entries(all).map(([path, value]) => [variableOf(path), value]));
  }
}
