/** Tests the template of deployments that CloudFormation registers together with their stack. */
import { Stack } from "aws-cdk-lib";
import { Match } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { describe, expect, test } from "vitest";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { AdminApiReference } from "../../infra/apis.ts";
import type { Stepwell, StepwellProps } from "../../infra/stepwell.ts";
import { StepwellDeployment, type StepwellDeploymentProps } from "../../infra/stepwell-deployment.ts";
import { actionsOf, resourcesOf, statementsOf, synthesised, type Resource } from "./synthesised.ts";

const TYPE = "Custom::StepwellDeployment";

function handlersOf(stepwell: Stepwell, code = "exports.handler = async () => ({});"): LambdaFunction {
  return new LambdaFunction(Stack.of(stepwell), "Shop", {
    code: Code.fromInline(code),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
  });
}

const withDeployments = (
  make: (stepwell: Stepwell) => readonly Omit<StepwellDeploymentProps, "admin">[],
  props: Partial<StepwellProps> = {},
) =>
  synthesised(props, (stepwell, codeFolder) => {
    make(stepwell).forEach((props, at) => {
      new StepwellDeployment(Stack.of(stepwell), `Deployment${at}`, { admin: stepwell.admin, codeFolder, ...props });
    });
  });

test.each([
  ["a version", (shop: LambdaFunction) => shop.currentVersion],
  ["an alias", (shop: LambdaFunction) => shop.addAlias("live")],
])("%s is registered by its qualified ARN, and its function carries the tag of the environment", (_what, qualified) => {
  const template = withDeployments((stepwell) => [{ handlers: qualified(handlersOf(stepwell)) }], {
    environmentName: "Live",
  });
  template.hasResourceProperties("AWS::Lambda::Function", {
    Handler: "index.handler",
    Tags: [{ Key: "stepwell", Value: "Live" }],
  });
  template.hasResourceProperties(TYPE, {
    Request: { "Fn::Join": ["", ['{"arn":"', { Ref: Match.stringLikeRegexp("^Shop") }, '"}']] },
    AdminUrl: Match.anyValue(),
    RemoveOnDelete: "false",
    ServiceTimeout: "120",
  });
});

test("a changed target of an alias changes the resource, so that the deployment is registered again", () => {
  const versionOf = (code: string) => {
    const template = withDeployments((stepwell) => [{ handlers: handlersOf(stepwell, code).addAlias("live") }]);
    return resourcesOf(template, TYPE).map(([, { Properties }]) => JSON.stringify(Properties["Version"]));
  };
  expect(versionOf("exports.handler = 1;")).toHaveLength(1);
  expect(versionOf("exports.handler = 1;")).toEqual(versionOf("exports.handler = 1;"));
  expect(versionOf("exports.handler = 2;")).not.toEqual(versionOf("exports.handler = 1;"));
});

test("an address is registered with its headers and options", () => {
  const template = withDeployments(() => [
    { handlers: { url: "https://shop.example" }, headers: { "x-shop": "1" }, force: true, removeOnDelete: true },
  ]);
  template.hasResourceProperties(TYPE, {
    Request: '{"uri":"https://shop.example","additional_headers":{"x-shop":"1"},"force":true}',
    RemoveOnDelete: "true",
  });
});

test("one function registers all deployments, and may call only the deployment routes of one admin API", () => {
  const template = withDeployments(() => ["a", "b"].map((name) => ({ handlers: { url: `https://${name}.example` } })));
  const tokens = resourcesOf(template, TYPE).map(([, { Properties }]) => JSON.stringify(Properties["ServiceToken"]));
  expect(tokens).toHaveLength(2);
  expect(new Set(tokens).size).toBe(1);
  const granted = statementsOf(template).filter(({ id }) => id.startsWith("StepwellRegistrar"));
  expect(
    granted
      .map(({ statement }) => actionsOf(statement))
      .flat()
      .toSorted(),
  ).toEqual(["execute-api:Invoke", "logs:CreateLogStream", "logs:PutLogEvents"]);
  const [invokes] = granted.filter(({ statement }) => actionsOf(statement).includes("execute-api:Invoke"));
  const text = JSON.stringify(invokes!.statement.Resource);
  expect(text).toMatch(/StepwellAdminApi/);
  for (const route of ["POST/deployments", "PATCH/deployments/*", "DELETE/deployments/*"]) {
    expect(text).toContain(`/*/${route}"`);
  }
  expect(text).not.toContain("/*/*");
});

test("in the stack of its control plane a deployment depends on every route and policy of the admin API", () => {
  const template = withDeployments(() => [{ handlers: { url: "https://shop.example" } }]);
  const dependsOn = (type: string, id: RegExp) =>
    resourcesOf(template, type)
      .filter(([name]) => id.test(name))
      .flatMap(([, resource]) => (resource as unknown as { readonly DependsOn: readonly string[] }).DependsOn);
  const behind = dependsOn(TYPE, /./);
  for (const type of ["Route", "Integration", "Stage"].map((name) => `AWS::ApiGatewayV2::${name}`)) {
    const own = resourcesOf(template, type).filter(([id]) => /AdminApi/.test(id));
    expect(own, type).toHaveLength(1);
    expect(behind).toContain(own[0]![0]);
  }
  const permissions = resourcesOf(template, "AWS::Lambda::Permission").filter(([id]) => /AdminApi/.test(id));
  expect(permissions.map(([id]) => id).filter((id) => !behind.includes(id))).toEqual([]);
  for (const name of [/^StepwellFunctionsAdmin/, /^StepwellRegistrar/]) {
    expect(dependsOn("AWS::Lambda::Function", name).filter((id) => /Policy/.test(id))).toHaveLength(1);
  }
});

test("a function's tag names one environment, and synthesis refuses a second one", () => {
  const registerAt = (...admins: readonly AdminApiReference[]) =>
    synthesised({ environmentName: "Live" }, (stepwell, codeFolder) => {
      const handlers = handlersOf(stepwell).currentVersion;
      [stepwell.admin, ...admins].forEach((admin, at) => {
        new StepwellDeployment(Stack.of(stepwell), `At${at}`, { admin, codeFolder, handlers });
      });
    });
  const elsewhere = { url: "https://dev.example", arn: "arn:aws:execute-api:eu-west-1:111122223333:dev" };
  expect(() => registerAt({ ...elsewhere, environment: "Live" })).not.toThrow();
  expect(() => registerAt({ ...elsewhere, environment: "Dev" })).toThrow(/registered with Live and Dev.+handlerArns/);
  // An admin API from untyped code that predates the property `environment`.
  expect(() => registerAt(elsewhere as AdminApiReference)).toThrow("admin: environment is missing");
});

describe("the log of the registering function", () => {
  const logOf = (props: Partial<StepwellDeploymentProps>) =>
    withDeployments(() => [{ handlers: { url: "https://shop.example" }, ...props }]);
  const [, { Properties: unless }] = resourcesOf(logOf({}), "AWS::Logs::LogGroup").find(isRegistrars)!;

  test("is by default kept for a month and encrypted by AWS's own key", () => {
    expect(unless["RetentionInDays"]).toBe(30);
    expect(unless["KmsKeyId"]).toBeUndefined();
  });

  test("has the given retention and key, which CloudWatch Logs may use for it", () => {
    const template = synthesised({}, (stepwell, codeFolder) => {
      const stack = Stack.of(stepwell);
      const told = { encryptionKey: new Key(stack, "Key"), logRetention: RetentionDays.ONE_YEAR };
      const handlers = { url: "https://shop.example" };
      new StepwellDeployment(stack, "Deployment", { admin: stepwell.admin, codeFolder, handlers, ...told });
    });
    const [id, { Properties }] = resourcesOf(template, "AWS::Logs::LogGroup").find(isRegistrars)!;
    expect(Properties["RetentionInDays"]).toBe(365);
    expect(Properties["KmsKeyId"]).toBeDefined();
    const [[, key]] = resourcesOf(template, "AWS::KMS::Key") as [[string, Resource]];
    expect(JSON.stringify(key.Properties["KeyPolicy"])).toContain(`-${id}-*`);
  });
});

function isRegistrars([id]: readonly [string, unknown]): boolean {
  return id.startsWith("StepwellRegistrar");
}
