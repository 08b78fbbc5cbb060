/** Deployments that are registered with their stack, as CloudFormation gets them. */
import { Stack } from "aws-cdk-lib";
import { Match } from "aws-cdk-lib/assertions";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { expect, test } from "vitest";
import type { Stepwell } from "../../infra/stepwell.ts";
import type { StepwellDeploymentProps } from "../../infra/stepwell-deployment.ts";
import { StepwellDeployment } from "../../infra/stepwell-deployment.ts";
import { actionsOf, resourcesOf, statementsOf, synthesised } from "./synthesised.ts";

const TYPE = "Custom::StepwellDeployment";

function handlersOf(stepwell: Stepwell, code = "exports.handler = async () => ({});"): LambdaFunction {
  return new LambdaFunction(Stack.of(stepwell), "Shop", {
    code: Code.fromInline(code),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
  });
}

const withDeployments = (make: (stepwell: Stepwell) => readonly Omit<StepwellDeploymentProps, "admin">[]) =>
  synthesised({}, (stepwell, codeFolder) => {
    make(stepwell).forEach((props, at) => {
      new StepwellDeployment(Stack.of(stepwell), `Deployment${at}`, { admin: stepwell.admin, codeFolder, ...props });
    });
  });

test.each([
  ["a version", (shop: LambdaFunction) => shop.currentVersion],
  ["an alias", (shop: LambdaFunction) => shop.addAlias("live")],
])("%s is registered by its qualified ARN, and its function carries the tag", (_what, qualified) => {
  const template = withDeployments((stepwell) => [{ handlers: qualified(handlersOf(stepwell)) }]);
  template.hasResourceProperties("AWS::Lambda::Function", {
    Handler: "index.handler",
    Tags: [{ Key: "stepwell", Value: "handler" }],
  });
  template.hasResourceProperties(TYPE, {
    Request: { "Fn::Join": ["", ['{"arn":"', { Ref: Match.stringLikeRegexp("^Shop") }, '"}']] },
    AdminUrl: Match.anyValue(),
    RemoveOnDelete: "false",
    ServiceTimeout: "120",
  });
});

test("an alias that is moved is looked at again, which takes what is behind it where that is forced", () => {
  const versionOf = (code: string) => {
    const template = withDeployments((stepwell) => [{ handlers: handlersOf(stepwell, code).addAlias("live") }]);
    return resourcesOf(template, TYPE).map(([, { Properties }]) => JSON.stringify(Properties["Version"]));
  };
  expect(versionOf("exports.handler = 1;")).toHaveLength(1);
  expect(versionOf("exports.handler = 1;")).toEqual(versionOf("exports.handler = 1;"));
  expect(versionOf("exports.handler = 2;")).not.toEqual(versionOf("exports.handler = 1;"));
});

test("an address is registered with what it asks for", () => {
  const template = withDeployments(() => [
    { handlers: { url: "https://shop.example" }, headers: { "x-shop": "1" }, force: true, removeOnDelete: true },
  ]);
  template.hasResourceProperties(TYPE, {
    Request: '{"uri":"https://shop.example","additional_headers":{"x-shop":"1"},"force":true}',
    RemoveOnDelete: "true",
  });
});

test("one function registers all, and may do nothing else: it asks one admin API for its deployments", () => {
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

test("beside its control plane it is registered behind every route and policy of the admin API, and gone before them", () => {
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
