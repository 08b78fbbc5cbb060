/** Checks the templates for CloudFormation with AWS's own linter, and their policies for broad grants. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { Vpc } from "aws-cdk-lib/aws-ec2";
import { Key } from "aws-cdk-lib/aws-kms";
import { expect, onTestFinished, test } from "vitest";
import type { StepwellProps } from "../../infra/stepwell.ts";
import { StepwellDeployment } from "../../infra/stepwell-deployment.ts";
import { briefApp } from "../infra/brief-app.ts";
import { actionsOf, statementsOf, synthesised } from "../infra/synthesised.ts";
import { outcomeOf } from "./outcome.ts";

const KEY = "arn:aws:kms:eu-west-1:111122223333:key/1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f";
const elsewhere = new Stack(briefApp(), "Elsewhere", { env: { account: "111122223333", region: "eu-west-1" } });
const vpc = Vpc.fromVpcAttributes(elsewhere, "Vpc", {
  vpcId: "vpc-12345678",
  availabilityZones: ["eu-west-1a", "eu-west-1b"],
  privateSubnetIds: ["subnet-12345678", "subnet-12345679"],
});
const jwt = { issuer: "https://login.example.com", audiences: ["orders"] };

const SHAPES: readonly (readonly [name: string, props: Partial<StepwellProps>])[] = [
  ["with defaults", {}],
  ["with a key, a network and traces", { encryptionKey: Key.fromKeyArn(elsewhere, "Key", KEY), vpc, xray: true }],
  [
    "open, with an access log and a limit",
    { ingressAuth: "open", ingressAccessLog: true, ingressThrottle: { ratePerS: 50, burst: 200 } },
  ],
  [
    "behind JWT, and deleted together with its data",
    { ingressAuth: { jwt }, ingressCors: { origins: ["*"] }, removalPolicy: RemovalPolicy.DESTROY },
  ],
];
const templates = SHAPES.map(([name, props]) => {
  const template = synthesised(props, (stepwell, codeFolder) => {
    const handlers = { url: "https://shop.example" };
    new StepwellDeployment(Stack.of(stepwell), "Shop", { admin: stepwell.admin, codeFolder, handlers });
  });
  return [name, template] as const;
});

/** The CDK writes dependencies even if a reference already implies them. */
const PASSED_OVER = ["W3005"];
const linter = process.env["STEPWELL_TEST_CFN_LINT"];

async function lint(template: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "stepwell-template-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "template.json");
  writeFileSync(file, JSON.stringify(template));
  const { out, told } = await outcomeOf(linter!, [
    "--format",
    "parseable",
    "--ignore-checks",
    ...PASSED_OVER,
    "--",
    file,
  ]);
  return out === "" ? told : out;
}

test.skipIf(linter === undefined).each(templates)("cfn-lint finds nothing in a stack %s", async (_name, template) => {
  expect(await lint(template.toJSON())).toBe("");
});

test.skipIf(linter === undefined)("cfn-lint finds an action that AWS does not have", async () => {
  const template = structuredClone(templates[0]![1].toJSON());
  const text = JSON.stringify(template).replace('"sqs:SendMessage"', '"sqs:SendMessageBatch"');
  expect(await lint(JSON.parse(text) as object)).toContain("W3037");
});

/** Actions that may be granted on every resource, because AWS has no resource to name, each with the reason. */
const ON_EVERYTHING: Readonly<Record<string, string>> = {
  "xray:PutTraceSegments": "X-Ray has no resources",
  "xray:PutTelemetryRecords": "X-Ray has no resources",
  "ec2:CreateNetworkInterface": "Lambda makes interfaces, which have no name yet; the code of the function may not",
  "ec2:DescribeNetworkInterfaces": "EC2 describes all or none",
  "ec2:DescribeSubnets": "EC2 describes all or none",
  "ec2:DeleteNetworkInterface": "Lambda deletes its own interfaces, whose names are not known before",
  "ec2:AssignPrivateIpAddresses": "as for making them",
  "ec2:UnassignPrivateIpAddresses": "as for making them",
};

test.each(templates)("no policy of a stack %s grants an action on unnamed resources", (_name, template) => {
  const allowed = statementsOf(template).filter(({ statement }) => statement.Effect === "Allow");
  expect(allowed.length).toBeGreaterThan(20);
  const vague = allowed.flatMap(({ statement }) => actionsOf(statement)).filter((action) => action.includes("*"));
  expect(vague).toEqual([]);
  const onEverything = allowed
    .filter(({ statement }) => [statement.Resource].flat().includes("*"))
    .flatMap(({ statement }) => actionsOf(statement));
  expect(onEverything.filter((action) => !(action in ON_EVERYTHING))).toEqual([]);
});

test("every exception for unnamed resources is in use", () => {
  const granted = new Set(
    templates.flatMap(([, one]) => statementsOf(one).flatMap(({ statement }) => actionsOf(statement))),
  );
  expect(Object.keys(ON_EVERYTHING).filter((action) => !granted.has(action))).toEqual([]);
});
