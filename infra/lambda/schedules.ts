/** The group of one-time schedules for far wakes, and the role with which the schedules send to the queue. */
import { Stack } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { encrypting, granting } from "./grants.ts";

export interface WakeSchedulesProps {
  readonly queue: Queue;
  /** Group names are unique within an account and Region. */
  readonly environment: string;
  /** The key of the queue. */
  readonly encryptionKey?: IKey;
}

export class WakeSchedules extends Construct {
  readonly groupName: string;
  readonly role: Role;

  constructor(scope: Construct, id: string, { queue, environment, encryptionKey }: WakeSchedulesProps) {
    super(scope, id);
    const group = new CfnScheduleGroup(this, "Group", { name: `${environment}-wakes` });
    this.groupName = group.ref;
    this.role = new Role(this, "Role", {
      description: "EventBridge Scheduler sends wakes as this role",
      assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
        conditions: {
          StringEquals: { "aws:SourceAccount": Stack.of(this).account, "aws:SourceArn": group.attrArn },
        },
      }),
    });
    this.role.addToPolicy(granting("sendsFarWakes", [queue.queueArn]));
    if (encryptionKey !== undefined) this.role.addToPolicy(encrypting(this, encryptionKey, ["sqs"]));
  }
}
