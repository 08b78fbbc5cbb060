/** Functions in the user's own network: their groups and subnets, and the rights that the network requires. */
import { Stack } from "aws-cdk-lib";
import type { Template } from "aws-cdk-lib/assertions";
import { SecurityGroup, SubnetType, Vpc } from "aws-cdk-lib/aws-ec2";
import { expect, test } from "vitest";
import { briefApp } from "./brief-app.ts";
import { actionsOf, resourcesOf, statementsOf, synthesised } from "./synthesised.ts";

const DRIVING = ["Admin", "Ingress", "Sweeper", "Worker"];
const elsewhere = new Stack(briefApp(), "Elsewhere");
const vpc = Vpc.fromVpcAttributes(elsewhere, "Vpc", {
  vpcId: "vpc-12345678",
  availabilityZones: ["eu-west-1a", "eu-west-1b"],
  privateSubnetIds: ["subnet-1a", "subnet-1b"],
  isolatedSubnetIds: ["subnet-2a", "subnet-2b"],
});

interface Placed {
  readonly name: string;
  readonly network: { readonly SubnetIds: unknown; readonly SecurityGroupIds: readonly unknown[] };
}

function placed(template: Template): readonly Placed[] {
  return resourcesOf(template, "AWS::Lambda::Function").flatMap(([id, { Properties }]) => {
    const network = Properties["VpcConfig"] as Placed["network"] | undefined;
    return network === undefined ? [] : [{ name: /Functions([A-Z][a-z]+)/.exec(id)![1]!, network }];
  });
}

test("by default no function is in a network", () => {
  const template = synthesised();
  expect(placed(template)).toEqual([]);
  expect(resourcesOf(template, "AWS::EC2::SecurityGroup")).toEqual([]);
});

test("all functions that reach deployments are in the network, in its private subnets and in one group", () => {
  const template = synthesised({ vpc });
  const functions = placed(template);
  expect(functions.map(({ name }) => name).sort()).toEqual(DRIVING);
  for (const { network } of functions) expect(network.SubnetIds).toEqual(["subnet-1a", "subnet-1b"]);
  const [group, ...others] = resourcesOf(template, "AWS::EC2::SecurityGroup");
  expect(others).toEqual([]);
  expect(group![1].Properties["SecurityGroupIngress"]).toBeUndefined();
  for (const { network } of functions) {
    expect(network.SecurityGroupIds).toEqual([{ "Fn::GetAtt": [group![0], "GroupId"] }]);
  }
});

test("these functions are in the given subnets and groups", () => {
  const group = SecurityGroup.fromSecurityGroupId(elsewhere, "Group", "sg-12345678");
  const vpcSubnets = { subnetType: SubnetType.PRIVATE_ISOLATED };
  const functions = placed(synthesised({ vpc, vpcSubnets, securityGroups: [group] }));
  expect(functions).toHaveLength(DRIVING.length);
  for (const { network } of functions) {
    expect(network.SubnetIds).toEqual(["subnet-2a", "subnet-2b"]);
    expect(network.SecurityGroupIds).toEqual(["sg-12345678"]);
  }
});

test("Lambda may create network interfaces for these functions, but their code may not", () => {
  const joining = statementsOf(synthesised({ vpc })).filter(({ statement }) =>
    actionsOf(statement).some((action) => action.startsWith("ec2:")),
  );
  expect(joining.map(({ id }) => /Functions([A-Z][a-z]+?)Role/.exec(id)![1]!).toSorted()).toEqual(DRIVING);
  for (const { statement } of joining) {
    expect(statement.Condition).toEqual({ Null: { "lambda:SourceFunctionArn": "true" } });
  }
});
