/** The page with the rights of every role. Users read it before a deployment, and a change of rights shows in its diff. */
import { Stack } from "aws-cdk-lib";
import { Vpc } from "aws-cdk-lib/aws-ec2";
import { Key } from "aws-cdk-lib/aws-kms";
import { expect, test } from "vitest";
import { StepwellDeployment } from "../../infra/stepwell-deployment.ts";
import type { StepwellProps } from "../../infra/stepwell.ts";
import { briefApp } from "./brief-app.ts";
import { rolesPage } from "./roles-page.ts";
import { resourcesOf, statementsOf, synthesised } from "./synthesised.ts";

const ENV = { account: "111122223333", region: "eu-west-1" };
const KEY = `arn:aws:kms:${ENV.region}:${ENV.account}:key/1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f`;

function withHandlers(props: Partial<StepwellProps> = {}) {
  return synthesised(props, (stepwell, codeFolder) => {
    const handlers = { url: "https://shop.example" };
    new StepwellDeployment(Stack.of(stepwell), "Shop", { admin: stepwell.admin, codeFolder, handlers });
  });
}

const template = withHandlers();

test("the page of roles shows the rights that the templates grant", async () => {
  const elsewhere = new Stack(briefApp(), "Elsewhere", { env: ENV });
  const told = withHandlers({
    encryptionKey: Key.fromKeyArn(elsewhere, "Key", KEY),
    vpc: Vpc.fromVpcAttributes(elsewhere, "Vpc", {
      vpcId: "vpc-12345678",
      availabilityZones: ["eu-west-1a"],
      privateSubnetIds: ["subnet-1"],
    }),
    assumableRoleArns: [`arn:aws:iam::${ENV.account}:role/shop`],
  });
  await expect(rolesPage(template, told)).toMatchFileSnapshot("roles.md");
});

test("the page leaves no role and no statement out", () => {
  const page = rolesPage(template, template);
  const rows = page.match(/^\| `.*\|$/gm)!;
  const callers = resourcesOf(template, "AWS::Lambda::Permission");
  expect(rows).toHaveLength(statementsOf(template).length + callers.length);
  const roles = resourcesOf(template, "AWS::IAM::Role");
  expect(page.match(/^Assumed by /gm)).toHaveLength(roles.length);
  // No other resource grants rights.
  expect(resourcesOf(template, "AWS::IAM::ManagedPolicy")).toEqual([]);
  const attached = roles.flatMap(([, { Properties }]) => [Properties["ManagedPolicyArns"], Properties["Policies"]]);
  expect(attached.filter((one) => one !== undefined)).toEqual([]);
});
