/** Far wakes: a group of one-time schedules, and the role as which each sends its wake. */
import { Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { CfnScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";

export class WakeSchedules extends Construct {
  readonly groupName: string;
  readonly role: Role;

  constructor(scope: Construct, id: string, { queue }: { readonly queue: Queue }) {
    super(scope, id);
    const group = new CfnScheduleGroup(this, "Group", { name: `${Stack.of(this).stackName}-wakes` });
    this.groupName = group.ref;
    this.role = new Role(this, "Role", {
      description: "EventBridge Scheduler sends wakes as this role",
      assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
        conditions: {
          StringEquals: { "aws:SourceAccount": Stack.of(this).account, "aws:SourceArn": group.attrArn },
        },
      }),
    });
    this.role.addToPolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [queue.queueArn] }));
  }
}
