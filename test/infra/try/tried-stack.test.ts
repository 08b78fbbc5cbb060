/** The stack of `npm run try` leaves nothing behind, requires IAM, and has none of the resources that are billed by the month. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { STACK_DESCRIPTION } from "../../../infra/try/stack-name.ts";
import { triedStack, type EmulatorProps } from "../../../infra/try/tried-stack.ts";
import { briefApp } from "../brief-app.ts";
import { resourcesOf } from "../synthesised.ts";

interface Parts {
  readonly Description: string;
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly DeletionPolicy?: string }>>;
}

function template(emulator?: EmulatorProps): Template {
  const codeFolder = mkdtempSync(join(tmpdir(), "stepwell-tried-"));
  try {
    for (const name of ["ingress", "admin", "worker", "sweeper", "keys", "registrar", "handlers"]) {
      mkdirSync(join(codeFolder, name));
      writeFileSync(join(codeFolder, name, "index.mjs"), "export const handler = async () => ({});\n");
    }
    return Template.fromStack(triedStack(briefApp(), "Tried", codeFolder, emulator));
  } finally {
    rmSync(codeFolder, { recursive: true, force: true });
  }
}

const onAws = template();
const parts = onAws.toJSON() as Parts;

test("the stack is identified by its description, and none of its resources outlives it", () => {
  expect(parts.Description).toBe(STACK_DESCRIPTION);
  const kept = Object.entries(parts.Resources).filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith("Retain"));
  expect(kept.map(([id]) => id)).toEqual([]);
  const [table] = resourcesOf(onAws, "AWS::DynamoDB::GlobalTable");
  expect(table![1].Properties["Replicas"]).toMatchObject([{ DeletionProtectionEnabled: false }]);
  const [keys] = resourcesOf(onAws, "Custom::StepwellKeys");
  expect(keys![1].Properties).toMatchObject({ Keep: "false" });
});

test("every function writes to a log of the stack, so that Lambda creates no log group that stays", () => {
  const functions = resourcesOf(onAws, "AWS::Lambda::Function");
  expect(functions).toHaveLength(7);
  for (const [id, { Properties }] of functions) expect(Properties["LoggingConfig"], id).toHaveProperty("LogGroup.Ref");
});

test("both APIs require IAM", () => {
  const routes = resourcesOf(onAws, "AWS::ApiGatewayV2::Route");
  expect(routes.map(([, { Properties }]) => Properties["AuthorizationType"])).toEqual(["AWS_IAM", "AWS_IAM"]);
});

test("there is no alarm, no dashboard and no key", () => {
  for (const type of ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard", "AWS::KMS::Key"])
    onAws.resourceCountIs(type, 0);
});

test("the handlers are registered at the admin API's own address, or on the emulator at an address of the emulator", () => {
  const addressIn = (one: Template) =>
    JSON.stringify(resourcesOf(one, "Custom::StepwellDeployment")[0]![1].Properties["AdminUrl"]);
  expect(addressIn(onAws)).toMatch(/^{"Fn::GetAtt":\["StepwellAdminApi\w+","ApiEndpoint"\]}$/);
  const emulated = addressIn(template({ apisUrl: "http://localhost:1/_aws/execute-api" }));
  expect(emulated).toMatch(/^{"Fn::Join":\["\/",\["http:\/\/localhost:1\/_aws\/execute-api",.+,"\$default"\]\]}$/);
});
