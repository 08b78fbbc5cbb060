/** A stack with the user's own key: what it encrypts, which roles may use it, and the permission that CloudWatch Logs needs. */
import { NestedStack, Stack, type App } from "aws-cdk-lib";
import { Annotations, Match, Template } from "aws-cdk-lib/assertions";
import { Key, type IKey } from "aws-cdk-lib/aws-kms";
import { describe, expect, test } from "vitest";
import { Stepwell } from "../../infra/stepwell.ts";
import { briefApp } from "./brief-app.ts";
import { resourceText } from "./resource-words.ts";
import { actionsOf, inCodeFolder, resourcesOf, statementsOf, type Statement } from "./synthesised.ts";

const ENV = { account: "111122223333", region: "eu-west-1" };
const ARN = "arn:aws:kms:eu-west-1:111122223333:key/1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f";

/** @param keyOf a function that makes the key, in the stack that uses the key or in another stack of the app */
function stackWith(keyOf: (stack: Stack, app: App) => IKey): Stack {
  return inCodeFolder((codeFolder) => {
    const app = briefApp();
    const stack = new Stack(app, "Shop", { env: ENV });
    new Stepwell(stack, "Stepwell", { codeFolder, encryptionKey: keyOf(stack, app) });
    return stack;
  });
}

const logGroupsOf = (template: Template) => resourcesOf(template, "AWS::Logs::LogGroup");
const imported = stackWith((stack) => Key.fromKeyArn(stack, "Key", ARN));

/** The statements of the key's policy for CloudWatch Logs. */
function logsMayUse(template: Template): readonly (Statement & { readonly Principal: unknown })[] {
  return resourcesOf(template, "AWS::KMS::Key")
    .flatMap(([, { Properties }]) => (Properties["KeyPolicy"] as { readonly Statement: readonly never[] }).Statement)
    .filter(({ Principal }) => JSON.stringify(Principal).includes('"Service"'));
}

const patternsOf = ({ Condition }: Statement): readonly string[] =>
  (Condition as { readonly ArnLike: Readonly<Record<string, readonly unknown[]>> }).ArnLike[
    "kms:EncryptionContext:aws:logs:arn"
  ]!.map((pattern) => resourceText(pattern).replace("arn:aws:logs:<region>:<account>:log-group:", ""));

test("the user's own key encrypts table, queues, logs and the keys in SSM, and every role that needs it may use it", () => {
  const template = Template.fromStack(imported);
  template.hasResourceProperties("AWS::DynamoDB::GlobalTable", { SSESpecification: { SSEType: "KMS" } });
  template.allResourcesProperties("AWS::SQS::Queue", { KmsMasterKeyId: ARN });
  template.hasResourceProperties("Custom::StepwellKeys", { KmsKeyId: ARN });
  expect(logGroupsOf(template)).toHaveLength(6);
  template.allResourcesProperties("AWS::Logs::LogGroup", { KmsKeyId: ARN });
  const users = statementsOf(template).filter(({ statement }) => actionsOf(statement).includes("kms:Decrypt"));
  expect(users.map(({ statement }) => statement.Resource)).toEqual(users.map(() => ARN));
  // The roles of the four functions, of the function that makes the keys, and of the schedules.
  expect(new Set(users.map(({ id }) => id)).size).toBe(6);
});

test("roles may use the key only through the stores that it encrypts", () => {
  const via = (id: RegExp) =>
    statementsOf(Template.fromStack(imported))
      .filter(({ statement }) => actionsOf(statement).some((action) => action.startsWith("kms:")))
      .filter(({ id: policy }) => id.test(policy))
      .map(({ statement }) => {
        const { StringEquals } = statement.Condition as { readonly StringEquals: Readonly<Record<string, unknown>> };
        return [StringEquals["kms:ViaService"]].flat().map(resourceText).join(" ");
      });
  const of = (...stores: readonly string[]) => stores.map((store) => `${store}.<region>.amazonaws.com`).join(" ");
  expect(via(/Functions(?:Ingress|Admin|Worker|Sweeper)Role/)).toEqual(
    Array.from({ length: 4 }, () => of("dynamodb", "sqs", "ssm")),
  );
  expect(via(/KeysRole/)).toEqual([of("ssm", "dynamodb")]);
  expect(via(/SchedulesRole/)).toEqual([of("sqs")]);
});

describe("CloudWatch Logs may use a key of the app", () => {
  test("only for the log groups of the environment, by their names", () => {
    const template = Template.fromStack(stackWith((stack) => new Key(stack, "Key")));
    const [statement, ...others] = logsMayUse(template);
    expect(others).toEqual([]);
    expect(statement).toMatchObject({
      Effect: "Allow",
      Principal: { Service: "logs.eu-west-1.amazonaws.com" },
      Action: ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"],
    });
    const names = logGroupsOf(template).map(([id]) => `Shop-${id}-*`);
    expect([...patternsOf(statement!)].sort()).toEqual(names.sort());
  });

  test("even if the key is in another stack, which does not depend on the stack of the log groups", () => {
    let keys: Stack | undefined;
    const shop = stackWith((_stack, app) => new Key((keys = new Stack(app, "Keys", { env: ENV })), "Key"));
    const names = logGroupsOf(Template.fromStack(shop)).map(([id]) => `Shop-${id}-*`);
    expect([...patternsOf(logsMayUse(Template.fromStack(keys!))[0]!)].sort()).toEqual(names.sort());
    expect(shop.dependencies).toEqual([keys]);
    expect(keys!.dependencies).toEqual([]);
  });

  test("even if the control plane is in a nested stack, whose name begins with that of its parent", () => {
    const [outer, inner] = inCodeFolder((codeFolder) => {
      const stack = new Stack(briefApp(), "Shop", { env: ENV });
      const nested = new NestedStack(stack, "Inside");
      new Stepwell(nested, "Stepwell", { codeFolder, encryptionKey: new Key(stack, "Key") });
      return [Template.fromStack(stack), Template.fromStack(nested)];
    }) as [Template, Template];
    const names = logGroupsOf(inner).map(([id]) => `Shop-*-${id}-*`);
    expect([...patternsOf(logsMayUse(outer)[0]!)].sort()).toEqual(names.sort());
  });
});

describe("the stack cannot change the policy of an imported key", () => {
  const warned = (stack: Stack) =>
    Annotations.fromStack(stack).findWarning("*", Match.stringLikeRegexp("encryptionKey: .*docs/operating/aws.md"));

  test("and the stack warns of this", () => {
    expect(warned(imported)).toHaveLength(1);
  });

  test("but there is no warning for a key whose policy it can change", () => {
    expect(warned(stackWith((stack) => new Key(stack, "Key")))).toEqual([]);
  });
});
