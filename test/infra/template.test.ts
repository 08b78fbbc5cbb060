/** Tests the template of the stack, because an emulator ignores parts of it silently, and AWS would bill mistakes. */
import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { Match } from "aws-cdk-lib/assertions";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { describe, expect, test } from "vitest";
import { variableOf } from "../../shared/config/setting-names.ts";
import { SETTING_PATHS } from "../../shared/config/settings-table.ts";
import { INDEX_FACTS, TABLE_FACTS } from "../../shared/config/table-facts.ts";
import { EXPIRY_ATTRIBUTE, tableDefinition } from "../../shared/adapters/dynamodb/table-definition.ts";
import { OWNED_SETTINGS, type OwnedSetting } from "../../infra/lambda/owned-settings.ts";
import { briefApp } from "./brief-app.ts";
import { actionsOf, resourcesOf, statementsOf, synthesised } from "./synthesised.ts";

const template = synthesised();
const NAMES = ["Ingress", "Admin", "Worker", "Sweeper"];
const functions = resourcesOf(template, "AWS::Lambda::Function");
const idOf = (name: string) =>
  functions.find(([id]) => new RegExp(`^StepwellFunctions${name}[0-9A-F]{8}$`).test(id))![0];

test("the four functions and the one that makes the keys run on Node 24, and every log group expires", () => {
  expect(functions).toHaveLength(5);
  for (const name of NAMES) expect(idOf(name)).toBeDefined();
  template.allResourcesProperties("AWS::Lambda::Function", { Runtime: "nodejs24.x", LoggingConfig: Match.anyValue() });
  template.resourceCountIs("AWS::Logs::LogGroup", 6);
  template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 30 });
});

test("every variable of a function is a known setting", () => {
  const known = new Set(SETTING_PATHS.map(variableOf));
  for (const name of NAMES) {
    const [, { Properties }] = functions.find(([id]) => id === idOf(name))!;
    const { Variables } = Properties["Environment"] as { readonly Variables: Readonly<Record<string, unknown>> };
    expect(Object.keys(Variables).filter((name) => !known.has(name))).toEqual([]);
  }
});

test("settings become variables, in addition to those that the stack owns", () => {
  const told = synthesised({ settings: { "worker.lease": "3s" } });
  told.resourcePropertiesCountIs(
    "AWS::Lambda::Function",
    { Environment: { Variables: { STEPWELL_WORKER__LEASE: "3s", STEPWELL_AWS__TABLE: { Ref: Match.anyValue() } } } },
    NAMES.length,
  );
});

test("the functions get every setting that the stack owns", () => {
  const given = functions.flatMap(([, { Properties }]) => {
    const environment = Properties["Environment"] as { readonly Variables: Readonly<Record<string, unknown>> };
    return Object.keys(environment?.Variables ?? {});
  });
  const unnamed = synthesised({ handlerArns: ["arn:aws:lambda:eu-west-1:111122223333:function:shop-*"] });
  expect(JSON.stringify(unnamed.toJSON())).not.toContain(variableOf("aws.handler-tag"));
  // A stack without Kafka clusters has no function of topics (`kafka-clusters.test.ts`).
  const ofClusters: readonly OwnedSetting[] = ["aws.topics-function", "ingress.kafka-clusters"];
  const paths = (Object.keys(OWNED_SETTINGS) as OwnedSetting[]).filter((path) => !ofClusters.includes(path));
  const owned = paths.map(variableOf);
  expect(owned.filter((name) => !given.includes(name))).toEqual([]);
  // The variables of a stack without settings: those that it owns, and two that may be set.
  const settable = ["cluster-name", "aws.external-id"] as const;
  expect(new Set(given)).toEqual(new Set([...owned, ...settable.map(variableOf)]));
});

describe("the table", () => {
  test("is paid by request, deletes expired items and can be restored to any second", () => {
    template.hasResourceProperties("AWS::DynamoDB::GlobalTable", {
      BillingMode: "PAY_PER_REQUEST",
      TimeToLiveSpecification: { AttributeName: "expiresAtS", Enabled: true },
      Replicas: [Match.objectLike({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } })],
    });
    template.hasResource("AWS::DynamoDB::GlobalTable", { DeletionPolicy: "Retain" });
  });

  test("has the keys and indexes that the program reads and writes", () => {
    const projected = Object.fromEntries(INDEX_FACTS.map(({ name, shown }) => [name, shown]));
    const wanted = tableDefinition("t", projected as Parameters<typeof tableDefinition>[1]);
    const [[, { Properties }]] = resourcesOf(template, "AWS::DynamoDB::GlobalTable") as [[string, never]];
    expect(Properties["KeySchema"]).toEqual(wanted.KeySchema);
    expect(Properties["GlobalSecondaryIndexes"]).toEqual(wanted.GlobalSecondaryIndexes);
    expect(TABLE_FACTS.expiryAttribute).toBe(EXPIRY_ATTRIBUTE);
  });
});

describe("the protection of the data", () => {
  test("a table that is kept cannot be deleted by mistake, and one that is not kept can", () => {
    const replicas = (of: typeof template) =>
      resourcesOf(of, "AWS::DynamoDB::GlobalTable").flatMap(([, { Properties }]) => Properties["Replicas"]);
    expect(replicas(template)).toMatchObject([{ DeletionProtectionEnabled: true }]);
    expect(replicas(synthesised({ removalPolicy: RemovalPolicy.DESTROY }))).toMatchObject([
      { DeletionProtectionEnabled: false },
    ]);
  });

  test("no role may delete the secret of ids or the signing keys where the data is kept", () => {
    const deleting = (of: typeof template) =>
      statementsOf(of).filter(({ statement }) => actionsOf(statement).includes("ssm:DeleteParameter"));
    expect(deleting(template)).toEqual([]);
    const gone = deleting(synthesised({ removalPolicy: RemovalPolicy.DESTROY }));
    expect(gone.map(({ id }) => /KeysRole/.test(id))).toEqual([true]);
  });

  test("no role may delete the secret or the keys if a protected or an imported table outlives the stack", () => {
    const table = TableV2.fromTableName(new Stack(briefApp()), "Table", "shop-restored");
    for (const more of [{ deletionProtection: true }, { table }]) {
      const kept = synthesised({ removalPolicy: RemovalPolicy.DESTROY, ...more });
      const actions = statementsOf(kept).flatMap(({ statement }) => actionsOf(statement));
      expect(actions).not.toContain("ssm:DeleteParameter");
      kept.hasResourceProperties("Custom::StepwellKeys", { Keep: "true" });
    }
  });

  test("no role may overwrite the secret of ids or the signing keys", () => {
    const writing = statementsOf(template).filter(({ statement }) => actionsOf(statement).includes("ssm:PutParameter"));
    expect(writing.map(({ statement }) => statement.Condition)).toEqual([
      { StringNotEquals: { "ssm:Overwrite": "true" } },
    ]);
    expect(writing.map(({ statement }) => actionsOf(statement))).toEqual([["ssm:PutParameter"]]);
  });

  test("queues refuse requests without TLS", () => {
    const policies = resourcesOf(template, "AWS::SQS::QueuePolicy");
    expect(policies).toHaveLength(3);
    for (const [, { Properties }] of policies) {
      expect(Properties["PolicyDocument"]).toMatchObject({
        Statement: [{ Effect: "Deny", Action: "sqs:*", Condition: { Bool: { "aws:SecureTransport": "false" } } }],
      });
    }
  });
});

test("recursion is allowed for the worker alone, which sends itself the wakes that it postpones", () => {
  const circling = functions.filter(([, { Properties }]) => Properties["RecursiveLoop"] === "Allow");
  expect(circling.map(([id]) => id)).toEqual([idOf("Worker")]);
});

test("the ingress and the admin function end before the timeout of the gateway", () => {
  for (const name of ["Ingress", "Admin"]) {
    const [, { Properties }] = functions.find(([id]) => id === idOf(name))!;
    expect(Properties["Timeout"]).toBeLessThan(30);
  }
});

describe("the two APIs", () => {
  const routes = (of: typeof template) => resourcesOf(of, "AWS::ApiGatewayV2::Route");

  test("the admin API and all its routes require IAM", () => {
    const admin = routes(template).filter(([id]) => /Admin/.test(id));
    expect(admin).toHaveLength(1);
    for (const [, { Properties }] of admin) expect(Properties["AuthorizationType"]).toBe("AWS_IAM");
  });

  test("the ingress requires IAM unless it is set to open", () => {
    const auth = (of: typeof template) =>
      routes(of)
        .filter(([id]) => !/Admin/.test(id))
        .map(([, { Properties }]) => Properties["AuthorizationType"]);
    expect(auth(template)).toEqual(["AWS_IAM"]);
    expect(auth(synthesised({ ingressAuth: "open" }))).toEqual(["NONE"]);
  });

  test("callers are bound to what they made unless the ingress is open or the stack turns it off", () => {
    const bound = (of: typeof template) =>
      JSON.stringify(of.toJSON()).includes('"STEPWELL_INGRESS__BIND_TO_CALLER":"true"');
    expect(bound(template)).toBe(true);
    expect(bound(synthesised({ ingressAuth: "open" }))).toBe(false);
    expect(bound(synthesised({ ingressBoundToCallers: false }))).toBe(false);
  });

  test("the ingress requires tokens of the given issuer and audiences, if `ingressAuth` names them", () => {
    const told = synthesised({ ingressAuth: { jwt: { issuer: "https://id.example", audiences: ["shop"] } } });
    told.hasResourceProperties("AWS::ApiGatewayV2::Route", { AuthorizationType: "JWT" });
    told.hasResourceProperties("AWS::ApiGatewayV2::Authorizer", {
      AuthorizerType: "JWT",
      JwtConfiguration: { Issuer: "https://id.example", Audience: ["shop"] },
    });
  });

  test("with scopes, the ingress requires tokens with one of them, and a browser's preflight needs no token", () => {
    const jwt = { issuer: "https://id.example", audiences: ["shop"], scopes: ["orders/call"] };
    const told = routes(synthesised({ ingressAuth: { jwt }, ingressCors: { origins: ["https://shop.example"] } }))
      .filter(([id]) => !/Admin/.test(id))
      .map(([, { Properties }]) => [Properties["AuthorizationType"], Properties["AuthorizationScopes"]]);
    expect(told).toContainEqual(["JWT", ["orders/call"]]);
    expect(told).toContainEqual(["NONE", undefined]);
    expect(told).toHaveLength(2);
  });

  test("the admin API logs its callers", () => {
    const stages = resourcesOf(template, "AWS::ApiGatewayV2::Stage").filter(([id]) => /Admin/.test(id));
    expect(stages).toHaveLength(1);
    expect(JSON.stringify(stages[0]![1].Properties["AccessLogSettings"])).toContain("$context.identity.userArn");
  });
});

describe("the grants", () => {
  const statements = statementsOf(template);
  const grantedTo = (name: string) =>
    statements.filter(({ id }) => id.includes(`${name}Role`)).flatMap(({ statement }) => actionsOf(statement));

  test("name their actions and resources without wildcards", () => {
    expect(statements.length).toBeGreaterThanOrEqual(4);
    for (const { id, statement } of statements) {
      expect(
        actionsOf(statement).filter((action) => /\*/.test(action)),
        id,
      ).toEqual([]);
      const everything = [statement.Resource].flat().includes("*");
      expect(everything && statement.Condition === undefined, `${id} ${JSON.stringify(statement)}`).toBe(false);
    }
  });

  test("name only actions that exist: SQS has no actions for batches, and checks the action for single messages", () => {
    const actions = new Set(statements.flatMap(({ statement }) => actionsOf(statement)));
    expect(actions).toContain("sqs:DeleteMessage");
    expect([...actions].filter((action) => /^sqs:\w+Batch$/.test(action))).toEqual([]);
  });

  test("come from no managed policy, which others could change", () => {
    for (const [id, { Properties }] of resourcesOf(template, "AWS::IAM::Role")) {
      expect(Properties["ManagedPolicyArns"] ?? [], id).toEqual([]);
    }
  });

  test("give each function the actions that it needs, and no others", () => {
    const only = (action: string) => NAMES.filter((name) => grantedTo(name).includes(action));
    expect(only("dynamodb:PutItem")).toEqual(NAMES);
    // A large state is stored in pieces, which are deleted when the state is replaced, and any function may drive.
    expect(only("dynamodb:DeleteItem")).toEqual(NAMES);
    const readsIndexes = (name: string) =>
      statements.some(
        ({ id, statement }) => id.includes(`${name}Role`) && JSON.stringify(statement).includes("index/open"),
      );
    expect(NAMES.filter(readsIndexes)).toEqual(["Admin", "Worker", "Sweeper"]);
    expect(only("sqs:ReceiveMessage")).toEqual(["Worker", "Sweeper"]);
    expect(only("sqs:SendMessage")).toEqual(NAMES);
    // SQL statements about the state of a service scan the table, within a limit.
    expect(only("dynamodb:Scan")).toEqual(["Admin"]);
  });

  test("handlers may be called if they carry the tag, or if the stack names them", () => {
    const invokes = (of: typeof template) =>
      statementsOf(of)
        .map(({ statement }) => statement)
        .filter((one) => actionsOf(one).includes("lambda:InvokeFunction"));
    const live = invokes(synthesised({ environmentName: "Live" }));
    expect(live).toHaveLength(NAMES.length);
    for (const { Condition } of live) {
      expect(Condition).toEqual({ StringEquals: { "aws:ResourceTag/stepwell": "Live" } });
    }
    const named = "arn:aws:lambda:eu-west-1:111122223333:function:shop-*";
    for (const { Resource } of invokes(synthesised({ handlerArns: [named] }))) expect(Resource).toBe(named);
  });

  test("allow a role to be assumed only where the stack names it", () => {
    const assumed = (of: typeof template) =>
      statementsOf(of)
        .map(({ statement }) => statement)
        .filter((one) => actionsOf(one).includes("sts:AssumeRole") && one.Resource !== undefined)
        .map(({ Resource }) => Resource);
    const role = "arn:aws:iam::111122223333:role/shop";
    expect(assumed(template)).toEqual([]);
    expect(assumed(synthesised({ assumableRoleArns: [role] }))).toEqual(NAMES.map(() => role));
  });

  test("let only schedules of the stack's schedule group assume their role, which may only send to the queue", () => {
    const [, { Properties }] = resourcesOf(template, "AWS::IAM::Role").find(([id]) => /Schedules/.test(id))!;
    expect(JSON.stringify(Properties["AssumeRolePolicyDocument"])).toContain("aws:SourceArn");
    expect(grantedTo("Schedules")).toEqual(["sqs:SendMessage"]);
  });
});
