/** The AwsSolutions rules of cdk-nag: each finding is fixed, or acknowledged with a reason where it arises. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack, Validations } from "aws-cdk-lib";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Vpc } from "aws-cdk-lib/aws-ec2";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { AwsSolutionsChecks } from "cdk-nag";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Stepwell, type StepwellProps } from "../../infra/stepwell.ts";
import { StepwellDeployment } from "../../infra/stepwell-deployment.ts";
import { briefApp } from "./brief-app.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stepwell-nag-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Synthesis throws if a report has a finding. */
function synthesise(props: Partial<StepwellProps>, beside: (stack: Stack) => void = () => undefined): void {
  const codeFolder = join(folder, "code");
  for (const name of ["ingress", "admin", "worker", "sweeper", "topics", "keys", "registrar"]) {
    mkdirSync(join(codeFolder, name), { recursive: true });
    writeFileSync(join(codeFolder, name, "index.mjs"), "export const handler = async () => ({});\n");
  }
  const app = new App({ analyticsReporting: false, outdir: join(folder, "out") });
  const stack = new Stack(app, "Test");
  const { admin } = new Stepwell(stack, "Stepwell", { codeFolder, ...props });
  new StepwellDeployment(stack, "Shop", { admin, codeFolder, handlers: { url: "https://shop.example" } });
  beside(stack);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
}

test("there is no finding without an acknowledgement", () => {
  expect(() => synthesise({})).not.toThrow();
  const mskClusterArn = "arn:aws:kafka:eu-west-1:111122223333:cluster/shop/abcd-1";
  expect(() => synthesise({ kafkaClusters: [{ name: "main", mskClusterArn }] })).not.toThrow();
  const named = "arn:aws:lambda:eu-west-1:111122223333:function:shop-*";
  expect(() => synthesise({ ingressAuth: "open", handlerArns: [named] })).not.toThrow();
  expect(() => synthesise({ ingressAccessLog: true, xray: true })).not.toThrow();
  const vpc = Vpc.fromVpcAttributes(new Stack(briefApp()), "Vpc", {
    vpcId: "vpc-12345678",
    availabilityZones: ["eu-west-1a"],
    privateSubnetIds: ["subnet-1"],
  });
  expect(() => synthesise({ vpc })).not.toThrow();
  const jwt = { issuer: "https://login.example.com", audiences: ["orders"] };
  const ingressCors = { origins: ["https://shop.example.com"] };
  expect(() => synthesise({ ingressAuth: { jwt }, ingressCors })).not.toThrow();
  expect(() => synthesise({ ingressCors })).not.toThrow();
  const table = TableV2.fromTableName(new Stack(briefApp()), "Table", "shop-restored");
  expect(() => synthesise({ table })).not.toThrow();
});

test("an acknowledgement hides no finding of another resource", () => {
  expect(() =>
    synthesise({}, (stack) => {
      new Queue(stack, "Foreign");
    }),
  ).toThrow(/AwsSolutions-SQS4/);
});
