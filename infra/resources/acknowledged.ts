/** The findings of the rule checker (cdk-nag) that are acceptable in this stack, each acknowledged with its reason. */
import { Stack, Validations } from "aws-cdk-lib";
import type { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IConstruct } from "constructs";

/** The reasons by action, for actions granted on more than one resource. Every other wildcard stays a finding. */
const WILDCARD_REASONS: Readonly<Record<string, string>> = {
  "ssm:GetParameter":
    "The signing keys of one environment are numbered, and while they are exchanged two numbers are read.",
  "scheduler:CreateSchedule": "Schedules are named for their invocations; the group is this environment's own.",
  "lambda:InvokeFunction":
    "Handlers are registered after the stack is deployed: those with a tag, or those that the stack names.",
  "xray:PutTraceSegments": "X-Ray has no resource types, so this right cannot name a resource.",
  "ec2:CreateNetworkInterface":
    "Lambda creates and deletes these network interfaces, whose names are unknown in advance; the code of the function may not.",
  "kafka-cluster:ReadData": "Subscriptions name topics after the stack is deployed; the cluster is named.",
  "kafka-cluster:AlterGroup":
    "Each subscription has a group of its own, made after the stack is deployed; the cluster is named.",
  "lambda:CreateEventSourceMapping": "Mappings have ids; a condition names the function to which they may deliver.",
  "lambda:ListEventSourceMappings": "AWS allows this action only on all mappings together.",
  "execute-api:Invoke": "Deployments have ids; the API, the methods and the path before the id are named.",
};

/** @param scope the role, or a parent of it */
export function acknowledgeWildcards(scope: IConstruct, grants: readonly PolicyStatement[]): void {
  for (const { actions, resources } of grants) {
    const reason = actions.map((action) => WILDCARD_REASONS[action]).find((known) => known !== undefined);
    if (reason === undefined) continue;
    for (const resource of resources.map((one) => textOf(Stack.of(scope).resolve(one)))) {
      if (!resource.includes("*")) continue;
      Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason });
    }
  }
}

export function acknowledgeOpenIngress(scope: IConstruct): void {
  const reason = "The deployment chose an open ingress; IAM and JWT are the other choices.";
  Validations.of(scope).acknowledge({ id: "AwsSolutions-APIG4", reason });
}

export function acknowledgeOpenPreflight(scope: IConstruct): void {
  const reason =
    "A browser asks for permission before it sends its token; the gateway answers, and no handler is reached.";
  Validations.of(scope).acknowledge({ id: "AwsSolutions-APIG4", reason });
}

export function acknowledgeUnloggedIngress(scope: IConstruct): void {
  const reason =
    "Each accepted request is in the table and is counted in a metric; ingressAccessLog adds a line for each.";
  Validations.of(scope).acknowledge({ id: "AwsSolutions-APIG1", reason });
}

/** An ARN as the checker writes it in findings: values that CloudFormation fills in are in angle brackets. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const [[name, content]] = Object.entries(value as Record<string, unknown>) as [[string, unknown]];
  if (name === "Fn::Join") return (content as [string, unknown[]])[1].map(textOf).join("");
  return `<${[content].flat().join(".")}>`;
}
