/**
 * The function of topics, which is the Lambda function `Topics`: only a stack with Kafka clusters has it, and it may read only
 * from these clusters. Only the admin function and the sweeper may create event source mappings to it.
 */
import { expect, test } from "vitest";
import type { KafkaClusterProps } from "../../infra/lambda/kafka-clusters.ts";
import { actionsOf, resourcesOf, statementsOf, synthesised } from "./synthesised.ts";

const OWN: KafkaClusterProps = {
  name: "own",
  bootstrapServers: ["b1:9096", "b2:9096"],
  auth: "SCRAM-SHA-512",
  secretArn: "arn:aws:secretsmanager:eu-west-1:111122223333:secret:kafka-1",
  subnetIds: ["subnet-1"],
  securityGroupIds: ["sg-1"],
};
const MSK: KafkaClusterProps = {
  name: "msk",
  mskClusterArn: "arn:aws:kafka:eu-west-1:111122223333:cluster/shop/abcd-1",
  properties: { "auto.offset.reset": "earliest" },
};

const names = (template: ReturnType<typeof synthesised>): readonly string[] =>
  resourcesOf(template, "AWS::Lambda::Function").flatMap(([id]) => /Functions([A-Z][a-z]+)/.exec(id)?.[1] ?? []);

test("without clusters there is no function of topics, and no right to make mappings", () => {
  const template = synthesised();
  expect(names(template)).not.toContain("Topics");
  const policies = JSON.stringify(template.findResources("AWS::IAM::Policy"));
  expect(policies).not.toContain('EventSourceMapping"');
});

const template = synthesised({ kafkaClusters: [OWN, MSK] });
const rightsOf = (name: string) =>
  statementsOf(template).flatMap(({ id, statement }) => (id.includes(`Functions${name}Role`) ? [statement] : []));

test("every function has the settings of the clusters; admin and sweeper also have the name of the function of topics", () => {
  const variables = new Map(
    resourcesOf(template, "AWS::Lambda::Function").flatMap(([id, { Properties }]) => {
      const name = /Functions([A-Z][a-z]+)/.exec(id)?.[1];
      const { Variables } = (Properties["Environment"] ?? {}) as { readonly Variables?: Record<string, unknown> };
      return name === undefined ? [] : [[name, Variables ?? {}] as const];
    }),
  );
  expect([...variables.keys()].toSorted()).toEqual(["Admin", "Ingress", "Sweeper", "Topics", "Worker"]);
  for (const [name, values] of variables) {
    const clusters = JSON.parse(values["STEPWELL_INGRESS__KAFKA_CLUSTERS"] as string) as object[];
    expect(clusters).toEqual([
      {
        name: "own",
        "bootstrap.servers": "b1:9096,b2:9096",
        "security.protocol": "sasl_ssl",
        "sasl.mechanism": "SCRAM-SHA-512",
        "aws.secret-arn": OWN.secretArn,
        "aws.subnets": "subnet-1",
        "aws.security-groups": "sg-1",
      },
      { name: "msk", "aws.msk-cluster-arn": MSK.mskClusterArn, "auto.offset.reset": "earliest" },
    ]);
    expect("STEPWELL_AWS__TOPICS_FUNCTION" in values).toBe(["Admin", "Sweeper"].includes(name));
  }
});

test("the function may read these clusters and secrets alone, with wildcards only for topics and groups", () => {
  const role = rightsOf("Topics");
  const byAction = (action: string): unknown => role.find((one) => actionsOf(one).includes(action))?.Resource;
  expect(byAction("secretsmanager:GetSecretValue")).toBe(OWN.secretArn);
  expect(byAction("kafka-cluster:Connect")).toBe(MSK.mskClusterArn);
  expect(byAction("kafka-cluster:ReadData")).toBe("arn:aws:kafka:eu-west-1:111122223333:topic/shop/abcd-1/*");
  expect(byAction("kafka-cluster:AlterGroup")).toBe("arn:aws:kafka:eu-west-1:111122223333:group/shop/abcd-1/*");
  for (const other of ["Admin", "Worker", "Ingress", "Sweeper"]) {
    expect(JSON.stringify(rightsOf(other))).not.toContain("secretsmanager");
  }
});

test("admin and sweeper alone make mappings, and only to this function", () => {
  for (const name of ["Admin", "Sweeper", "Worker", "Ingress", "Topics"]) {
    const making = rightsOf(name).find((one) => actionsOf(one).includes("lambda:CreateEventSourceMapping"));
    expect(making !== undefined).toBe(["Admin", "Sweeper"].includes(name));
    if (making !== undefined) expect(JSON.stringify(making.Condition)).toMatch(/lambda:FunctionArn.*Topics/);
  }
});

test.each<readonly [string, KafkaClusterProps, RegExp]>([
  ["two sources", { ...MSK, bootstrapServers: ["b:1"] }, /either bootstrapServers or mskClusterArn/],
  ["no source", { name: "x" }, /either bootstrapServers or mskClusterArn/],
  [
    "credentials but no `auth`",
    { name: "x", bootstrapServers: ["b:1"], secretArn: "arn:x" },
    /auth and secretArn together/,
  ],
  ["a bad name", { ...MSK, name: "a b" }, /not a name/],
])("a cluster with %s is refused at synthesis", (_what, cluster, reason) => {
  expect(() => synthesised({ kafkaClusters: [cluster] })).toThrow(reason);
});
