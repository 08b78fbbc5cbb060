/** Control planes side by side, in one stack or several, and one on an existing table. */
import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { describe, expect, test } from "vitest";
import { Stepwell } from "../../infra/stepwell.ts";
import { StepwellDeployment } from "../../infra/stepwell-deployment.ts";
import { briefApp } from "./brief-app.ts";
import { actionsOf, inCodeFolder, resourcesOf, statementsOf, synthesised, type Resource } from "./synthesised.ts";

/** Names that the template sets, by type and property; CloudFormation generates all others. */
const NAMED = [
  ["AWS::Scheduler::ScheduleGroup", "Name"],
  ["AWS::CloudWatch::Dashboard", "DashboardName"],
  ["Custom::StepwellKeys", "Path"],
] as const;
/** A resource with one of these properties has an explicit name. */
const NAMES = /^(?:FunctionName|RoleName|PolicyName|TableName|QueueName|LogGroupName|AlarmName|Name|DashboardName)$/;
/**
 * Types whose names cannot collide. The names of policies and authorizers must be unique only within their role or API, and an
 * API's name is no identity. The last three have the name of the function that they serve.
 */
const NAMED_WITHIN = new Set([
  ...["IAM::Policy", "ApiGatewayV2::Api", "ApiGatewayV2::Authorizer"].map((type) => `AWS::${type}`),
  ...["Lambda::Permission", "Lambda::EventSourceMapping", "Lambda::EventInvokeConfig"].map((type) => `AWS::${type}`),
]);

const namesIn = (template: Template): unknown[] =>
  NAMED.flatMap(([type, property]) =>
    resourcesOf(template, type).map(([, one]) => JSON.stringify(one.Properties[property])),
  );

describe("two control planes", () => {
  const [together, ...apart] = inCodeFolder((codeFolder) => {
    const app = briefApp();
    const stacks = ["Both", "Test", "Live"].map((name) => new Stack(app, name));
    for (const id of ["Blue", "Green"]) {
      const { admin } = new Stepwell(stacks[0]!, id, { codeFolder });
      new StepwellDeployment(stacks[0]!, `${id}Shop`, { admin, codeFolder, handlers: { url: "https://shop.example" } });
    }
    for (const stack of stacks.slice(1)) new Stepwell(stack, "Stepwell", { codeFolder });
    return stacks.map((stack) => Template.fromStack(stack));
  }) as [Template, Template, Template];

  test.each([
    ["of one stack", [together]],
    ["of two stacks", apart],
  ])("%s share no name", (_where, templates) => {
    const names = templates.flatMap(namesIn);
    expect(names).toHaveLength(2 * NAMED.length);
    expect(new Set(names).size).toBe(names.length);
  });

  test("from one stack in two Regions have different dashboard names, which must be unique in the account", () => {
    const pageIn = (region: string): unknown =>
      inCodeFolder((codeFolder) => {
        const env = { account: "111122223333", region };
        const stack = new Stack(briefApp(), "Shop", { env });
        new Stepwell(stack, "Stepwell", { codeFolder });
        const [page] = resourcesOf(Template.fromStack(stack), "AWS::CloudWatch::Dashboard");
        return page![1].Properties["DashboardName"];
      });
    expect(pageIn("eu-west-1")).toMatch(/eu-west-1$/);
    expect(pageIn("us-east-1")).toMatch(/us-east-1$/);
  });

  test("have no other explicit names, so that nothing else can collide", () => {
    const all = Object.values(together.toJSON()["Resources"] as Record<string, Resource>);
    const known = new Set<string>(NAMED.map(([type]) => type));
    const named = all.filter(
      ({ Type, Properties }) =>
        !known.has(Type) && !NAMED_WITHIN.has(Type) && Object.keys(Properties ?? {}).some((name) => NAMES.test(name)),
    );
    expect(named.map(({ Type }) => Type)).toEqual([]);
  });

  test("may each call only their own handlers", () => {
    const tagsOf = (template: Template) =>
      statementsOf(template)
        .filter(({ statement }) => actionsOf(statement).includes("lambda:InvokeFunction"))
        .map(({ statement }) => JSON.stringify(statement.Condition));
    const [test, live] = apart.map(tagsOf) as [string[], string[]];
    expect([test.length, live.length]).toEqual([4, 4]);
    expect(test.filter((condition) => live.includes(condition))).toEqual([]);
    expect(new Set(tagsOf(together)).size).toBe(2);
  });

  test("have no rights on each other, and each registers its own deployments", () => {
    const granted = statementsOf(together).filter(({ id }) => /^(?:Blue|Green)/.test(id));
    expect(granted.length).toBeGreaterThan(20);
    for (const { id, statement } of granted) {
      const other = id.startsWith("Blue") ? /"Green/ : /"Blue/;
      expect(JSON.stringify(statement.Resource), id).not.toMatch(other);
    }
    const registrars = statementsOf(together).filter(({ statement }) =>
      actionsOf(statement).includes("execute-api:Invoke"),
    );
    const resources = registrars.map(({ statement }) => JSON.stringify(statement.Resource));
    expect(resources).toHaveLength(2);
    expect(resources[0]).not.toBe(resources[1]);
  });
});

describe("an existing table", () => {
  const NAME = "shop-restored";
  const elsewhere = new Stack(briefApp(), "Elsewhere");
  const template = synthesised({ table: TableV2.fromTableName(elsewhere, "Table", NAME) });

  test("replaces the stack's own table, which CloudFormation retains when it leaves the template", () => {
    expect(resourcesOf(template, "AWS::DynamoDB::GlobalTable")).toEqual([]);
    synthesised().hasResource("AWS::DynamoDB::GlobalTable", {
      DeletionPolicy: "Retain",
      UpdateReplacePolicy: "Retain",
    });
    template.resourcePropertiesCountIs(
      "AWS::Lambda::Function",
      { Environment: { Variables: { STEPWELL_AWS__TABLE: NAME } } },
      4,
    );
  });

  test("gets the same grants as the stack's own, with its indexes", () => {
    const grantedOn = (of: Template) =>
      statementsOf(of)
        .filter(({ statement }) => actionsOf(statement).some((action) => action.startsWith("dynamodb:")))
        .map(({ id, statement }) => [id, statement.Action, [statement.Resource].flat().length]);
    expect(grantedOn(template)).toEqual(grantedOn(synthesised()));
    const text = JSON.stringify(statementsOf(template));
    for (const index of ["list", "open"]) expect(text).toContain(`:table/${NAME}/index/${index}`);
  });

  test("has an alarm and charts, which refer to it by its name", () => {
    const alarm = resourcesOf(template, "AWS::CloudWatch::Alarm").find(([id]) => /TableThrottles/.test(id))!;
    expect(JSON.stringify(alarm[1].Properties["Metrics"])).toContain(`"Value":"${NAME}"`);
    const [[, page]] = resourcesOf(template, "AWS::CloudWatch::Dashboard") as [[string, Resource]];
    expect(JSON.stringify(page.Properties)).toContain(NAME);
  });

  test("may be given by its ARN, too", () => {
    const arn = "arn:aws:dynamodb:eu-west-1:111122223333:table/shop-restored";
    const told = synthesised({ table: TableV2.fromTableArn(new Stack(briefApp()), "Table", arn) });
    expect(JSON.stringify(statementsOf(told))).toContain(`"${arn}/index/open"`);
  });

  test("changes no name that the template sets, so the environment keeps the path of its keys", () => {
    expect(namesIn(template)).toEqual(namesIn(synthesised()));
  });
});
