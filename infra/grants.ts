/** The IAM grants of the functions: named actions, on named resources or under a condition wherever AWS allows it. */
import { ArnFormat, Stack } from "aws-cdk-lib";
import type { Role } from "aws-cdk-lib/aws-iam";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { INDEX_FACTS } from "../shared/config/table-facts.ts";
import type { AnyTable } from "./table.ts";

/** The tag of functions that an environment may call; its value is the name of the environment. */
export const HANDLER_TAG = "stepwell";

export interface DrivingProps {
  readonly table: AnyTable;
  readonly queue: Queue;
  readonly slowQueue: Queue;
  readonly groupName: string;
  readonly scheduleRole: Role;
  /** The schedules that drivers may create, for an emulator that uses other ARNs than AWS. */
  readonly scheduleArns?: readonly string[];
}

/** The grants of every driver: reading and writing invocations, sending wakes, and creating and deleting schedules. */
export function driving(scope: Construct, props: DrivingProps): PolicyStatement[] {
  const { table, queue, slowQueue, groupName, scheduleRole, scheduleArns } = props;
  const schedules = Stack.of(scope).formatArn({
    service: "scheduler",
    resource: "schedule",
    resourceName: `${groupName}/*`,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
  return [
    new PolicyStatement({
      actions: [
        "dynamodb:GetItem",
        "dynamodb:BatchGetItem",
        "dynamodb:PutItem",
        "dynamodb:UpdateItem",
        // The pieces of a large state are deleted when another value replaces them.
        "dynamodb:DeleteItem",
        "dynamodb:Query",
      ],
      resources: [table.tableArn],
    }),
    new PolicyStatement({ actions: ["sqs:SendMessage"], resources: arnsOf([queue, slowQueue]) }),
    new PolicyStatement({
      actions: ["scheduler:CreateSchedule", "scheduler:DeleteSchedule"],
      resources: [...(scheduleArns ?? [schedules])],
    }),
    new PolicyStatement({
      actions: ["iam:PassRole"],
      resources: [scheduleRole.roleArn],
      conditions: { StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" } },
    }),
  ];
}

/**
 * The grant to delete messages and to hide them during the work. IAM has no actions for the batch requests: for such a
 * request, AWS checks the action for a single message.
 */
export function finishing(queues: readonly Queue[]): PolicyStatement {
  return new PolicyStatement({
    actions: ["sqs:DeleteMessage", "sqs:ChangeMessageVisibility"],
    resources: arnsOf(queues),
  });
}

export interface HandlerCallsProps {
  /** Names the control plane within the account. */
  readonly environment: string;
  readonly handlerArns?: readonly string[];
}

/**
 * The grant to call handlers: those in the list, or all functions of this account and Region whose tag names the
 * environment.
 */
export function handlerCalls(scope: Construct, { environment, handlerArns }: HandlerCallsProps): PolicyStatement {
  const actions = ["lambda:InvokeFunction"];
  if (handlerArns !== undefined) return new PolicyStatement({ actions, resources: [...handlerArns] });
  const resource = { service: "lambda", resource: "function", resourceName: "*" };
  return new PolicyStatement({
    actions,
    resources: [Stack.of(scope).formatArn({ ...resource, arnFormat: ArnFormat.COLON_RESOURCE_NAME })],
    conditions: { StringEquals: { [`aws:ResourceTag/${HANDLER_TAG}`]: environment } },
  });
}

/** The grant to assume roles for calls. Each of the assumed roles must also trust the functions' roles. */
export function roleAssuming(roleArns: readonly string[]): PolicyStatement {
  return new PolicyStatement({ actions: ["sts:AssumeRole"], resources: [...roleArns] });
}

/** The grant to read both indexes, for the sweeper's walks (also in workers) and for the lists of the admin API. */
export function readingIndexes(table: AnyTable): PolicyStatement {
  return new PolicyStatement({
    actions: ["dynamodb:Query"],
    resources: [table.tableArn, ...INDEX_FACTS.map(({ name }) => `${table.tableArn}/index/${name}`)],
  });
}

/** The grant to walk over the table, for SQL statements about the state of a service: no index lists the keys of a service. */
export function walkingTable(table: AnyTable): PolicyStatement {
  return new PolicyStatement({ actions: ["dynamodb:Scan"], resources: [table.tableArn] });
}

export function receiving(queue: Queue): PolicyStatement {
  return new PolicyStatement({ actions: ["sqs:ReceiveMessage"], resources: [queue.queueArn] });
}

/** The rights that Lambda needs to call a function with messages of queues. */
export function polling(queues: readonly Queue[]): PolicyStatement {
  return new PolicyStatement({
    actions: ["sqs:ReceiveMessage", "sqs:GetQueueAttributes"],
    resources: arnsOf(queues),
  });
}

function arnsOf(queues: readonly Queue[]): string[] {
  return queues.map(({ queueArn }) => queueArn);
}

/** The stores that use the key on behalf of a role. */
export type EncryptingStore = "dynamodb" | "sqs" | "ssm";

/** The grant to use the key only through these stores: the role cannot decrypt other bytes. */
export function encrypting(scope: Construct, key: IKey, stores: readonly EncryptingStore[]): PolicyStatement {
  const { region, urlSuffix } = Stack.of(scope);
  return new PolicyStatement({
    actions: ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"],
    resources: [key.keyArn],
    conditions: { StringEquals: { "kms:ViaService": stores.map((store) => `${store}.${region}.${urlSuffix}`) } },
  });
}

/** The grant to send traces. It covers all resources, because X-Ray has no resource types. */
export function tracing(): PolicyStatement {
  return new PolicyStatement({ actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] });
}

/**
 * The grant by which Lambda itself creates network interfaces for a function in a VPC, with the function's role. It covers
 * all resources, because an interface has no ARN before Lambda creates it. By the condition, EC2 refuses requests of the
 * function's own code, which carry the function's ARN.
 */
export function joining(): PolicyStatement {
  return new PolicyStatement({
    actions: [
      "ec2:CreateNetworkInterface",
      "ec2:DescribeNetworkInterfaces",
      "ec2:DescribeSubnets",
      "ec2:DeleteNetworkInterface",
      "ec2:AssignPrivateIpAddresses",
      "ec2:UnassignPrivateIpAddresses",
    ],
    resources: ["*"],
    conditions: { Null: { "lambda:SourceFunctionArn": "true" } },
  });
}
