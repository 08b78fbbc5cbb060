/** What the functions are granted, statement by statement: named actions on named resources. */
import { ArnFormat, Stack } from "aws-cdk-lib";
import type { Role } from "aws-cdk-lib/aws-iam";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { INDEX_FACTS } from "../shared/config/table-facts.ts";
import type { AnyTable } from "./table.ts";

export const HANDLER_TAG = { name: "stepwell", value: "handler" };

export interface DrivingProps {
  readonly table: AnyTable;
  readonly queue: Queue;
  readonly groupName: string;
  readonly scheduleRole: Role;
  /** The schedules that may be made, where they are judged by other names than AWS's. */
  readonly scheduleArns?: readonly string[];
}

/** What every driver does: it reads and writes invocations, sends wakes, and sets far ones. */
export function driving(scope: Construct, props: DrivingProps): PolicyStatement[] {
  const { table, queue, groupName, scheduleRole, scheduleArns } = props;
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
        // The pieces of a large state go when another value takes its place.
        "dynamodb:DeleteItem",
        "dynamodb:Query",
      ],
      resources: [table.tableArn],
    }),
    new PolicyStatement({ actions: batched("sqs:SendMessage"), resources: [queue.queueArn] }),
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

/** AWS judges a batch by the action of its entries; an emulator may ask for the name of the batch, which AWS ignores. */
function batched(...actions: readonly string[]): string[] {
  return actions.flatMap((action) => [action, `${action}Batch`]);
}

/** Messages are deleted, and hidden for as long as they are worked on. */
export function finishing(queue: Queue): PolicyStatement {
  return new PolicyStatement({
    actions: batched("sqs:DeleteMessage", "sqs:ChangeMessageVisibility"),
    resources: [queue.queueArn],
  });
}

/** Handlers that are functions: those that are named, or those of this account and Region that say so by a tag. */
export function handlerCalls(scope: Construct, handlerArns: readonly string[] | undefined): PolicyStatement {
  const actions = ["lambda:InvokeFunction"];
  if (handlerArns !== undefined) return new PolicyStatement({ actions, resources: [...handlerArns] });
  const resource = { service: "lambda", resource: "function", resourceName: "*" };
  return new PolicyStatement({
    actions,
    resources: [Stack.of(scope).formatArn({ ...resource, arnFormat: ArnFormat.COLON_RESOURCE_NAME })],
    conditions: { StringEquals: { [`aws:ResourceTag/${HANDLER_TAG.name}`]: HANDLER_TAG.value } },
  });
}

/** Functions that are called as another role, which has to trust these in turn. */
export function roleAssuming(roleArns: readonly string[]): PolicyStatement {
  return new PolicyStatement({ actions: ["sts:AssumeRole"], resources: [...roleArns] });
}

/** Walks of the sweeper, which workers share, read both indexes, and operators look at what is open. */
export function readingIndexes(table: AnyTable): PolicyStatement {
  return new PolicyStatement({
    actions: ["dynamodb:Query"],
    resources: [table.tableArn, ...INDEX_FACTS.map(({ name }) => `${table.tableArn}/index/${name}`)],
  });
}

export function receiving(queue: Queue): PolicyStatement {
  return new PolicyStatement({ actions: ["sqs:ReceiveMessage"], resources: [queue.queueArn] });
}

/** Whoever uses what a key encrypts uses the key, though it is the store that asks for it. */
export function encrypting(key: IKey): PolicyStatement {
  return new PolicyStatement({
    actions: ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"],
    resources: [key.keyArn],
  });
}

/** X-Ray knows no resources to grant on. */
export function tracing(): PolicyStatement {
  return new PolicyStatement({ actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] });
}
