/** The pages of docs/operating state what the template and the settings contain, and each file and test that they name exists. */
import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { Vpc } from "aws-cdk-lib/aws-ec2";
import { expect, test } from "vitest";
import type { KafkaClusterProps } from "../../infra/lambda/kafka-clusters.ts";
import { TIME_MARGIN_MS } from "../../functions/lambda/time-left.ts";
import { SETTINGS } from "../../shared/config/settings-table.ts";
import { briefApp } from "../infra/brief-app.ts";
import { actionsOf, resourcesOf, statementsOf, synthesised } from "../infra/synthesised.ts";
import { isFile, textOf } from "./page-text.ts";

const PAGES = ["aws", "evidence", "incidents", "local"].map((name) => textOf(`docs/operating/${name}.md`));
const template = synthesised();
const CLUSTER: KafkaClusterProps = {
  name: "main",
  mskClusterArn: "arn:aws:kafka:eu-west-1:111122223333:cluster/shop/abcd-1",
  secretArn: "arn:aws:secretsmanager:eu-west-1:111122223333:secret:kafka-1",
};
/** The section under this heading of whichever page has it. */
const section = (heading: string): string =>
  PAGES.flatMap((page) => page.split(`\n## ${heading}\n`).slice(1))[0]!.split("\n## ")[0]!;

test("every alarm has a section, and every section an alarm", () => {
  const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm").map(
    ([id]) => /^StepwellAlarms(.+)[0-9A-F]{8}$/.exec(id)![1]!,
  );
  const told = [...section("Alarms").matchAll(/^### (\w+)$/gm)].map(([, name]) => name!);
  expect(told.sort()).toEqual(alarms.sort());
});

test("every granted action is on the page, and no other", () => {
  const withAll = synthesised({
    assumableRoleArns: ["arn:aws:iam::111122223333:role/r"],
    xray: true,
    removalPolicy: RemovalPolicy.DESTROY,
    kafkaClusters: [CLUSTER],
    vpc: Vpc.fromVpcAttributes(new Stack(briefApp()), "Vpc", {
      vpcId: "vpc-12345678",
      availabilityZones: ["eu-west-1a"],
      privateSubnetIds: ["subnet-1"],
    }),
  });
  const granted = [template, withAll].flatMap((one) =>
    statementsOf(one).flatMap(({ statement }) => actionsOf(statement)),
  );
  const told = [...section("What it may do").matchAll(/`([a-z0-9-]+:[A-Z]\w+)`/g)].map(([, action]) => action!);
  const plain = (actions: readonly string[]) => [...new Set(actions)].sort();
  // The stack of this test has neither a customer-managed key nor handlers.
  expect(plain(told).filter((action) => !/^(kms|execute-api):/.test(action))).toEqual(plain(granted));
});

test("the functions have the memory and the time-outs that the page states", () => {
  const functions = resourcesOf(template, "AWS::Lambda::Function");
  const timesOf = (name: string) =>
    functions.filter(([id]) => id.includes(`Functions${name}`)).map(([, { Properties }]) => Properties["Timeout"]);
  expect(["Ingress", "Admin", "Worker", "Sweeper"].flatMap(timesOf)).toEqual([29, 29, 900, 300]);
  expect(section("What is deployed")).toContain("*ingress* and *admin* (29 s), *worker* (15 min), *sweeper* (5 min)");
  expect(new Set(functions.map(([, { Properties }]) => Properties["MemorySize"]))).toEqual(new Set([512]));
});

test("a stack with Kafka clusters has one more function, with the time-out that the page states", () => {
  const functions = resourcesOf(synthesised({ kafkaClusters: [CLUSTER] }), "AWS::Lambda::Function");
  const times = functions.flatMap(([id, { Properties }]) =>
    id.includes("FunctionsTopics") ? Properties["Timeout"] : [],
  );
  expect([functions.length, times]).toEqual([6, [120]]);
  expect(section("What is deployed")).toContain(
    "| with `kafkaClusters`: 1 more function with its role and log group | *topics* (2 min)",
  );
});

test("the number of each resource is that of the page", () => {
  const deployed = section("What is deployed");
  for (const [words, type, count] of [
    ["| 2 HTTP APIs |", "AWS::ApiGatewayV2::Api", 2],
    ["| 1 DynamoDB table, on demand, with 2 indexes |", "AWS::DynamoDB::GlobalTable", 1],
    ["| 2 SQS queues and their dead-letter queue |", "AWS::SQS::Queue", 3],
    ["| 2 event sources of the worker |", "AWS::Lambda::EventSourceMapping", 2],
    ["| 1 group of EventBridge schedules |", "AWS::Scheduler::ScheduleGroup", 1],
    ["| 1 rule, every 5 minutes |", "AWS::Events::Rule", 1],
    ["| 9 alarms and 1 dashboard |", "AWS::CloudWatch::Alarm", 9],
    ["| 6 log groups |", "AWS::Logs::LogGroup", 6],
    ["| 6 roles |", "AWS::IAM::Role", 6],
  ] as const) {
    expect(deployed).toContain(words);
    expect(resourcesOf(template, type).length, type).toBe(count);
  }
  // The four functions of Stepwell, and the function that makes the keys of the environment (`infra/lambda/keys.ts`).
  expect(resourcesOf(template, "AWS::Lambda::Function").length).toBe(5);
  expect(deployed).toContain("4 alarms where `aws.metrics` = `none`");
  const silent = synthesised({ settings: { "aws.metrics": "none" } });
  expect(resourcesOf(silent, "AWS::CloudWatch::Alarm").length).toBe(4);
});

test("settings have the values of the page", () => {
  const limits = section("Limits");
  for (const [name, text, value] of [
    ["aws.ingress-time", "25 s (`aws.ingress-time`)", 25_000],
    ["worker.lease", "10 s (`worker.lease`)", 10_000],
    ["worker.invoker.message-size-limit", "32 MiB (`worker.invoker.message-size-limit`)", 32 * 1024 * 1024],
    ["aws.index-shards", "8 by default, 16 at most (`aws.index-shards`)", 8],
  ] as const) {
    expect(limits).toContain(text);
    expect(SETTINGS[name].fallback, name).toBe(value);
  }
});

test("an attempt on AWS lasts as long as the page says", () => {
  expect(section("Limits")).toContain(`15 min less ${TIME_MARGIN_MS / 1000} s;`);
});

test("the queues have the retention and the receive counts of the page", () => {
  const queues = resourcesOf(template, "AWS::SQS::Queue").map(([, { Properties }]) => Properties);
  expect(queues.map(({ MessageRetentionPeriod }) => MessageRetentionPeriod)).toEqual(Array(3).fill(14 * 86_400));
  const receives = queues.flatMap(({ RedrivePolicy }) => {
    const redrive = RedrivePolicy as { readonly maxReceiveCount: number } | undefined;
    return redrive === undefined ? [] : [redrive.maxReceiveCount];
  });
  expect(receives).toEqual([12, 12]);
});

test("every file that the pages name in code style exists", () => {
  const files = PAGES.flatMap((page) =>
    [...page.matchAll(/`((?:test|infra|shared|functions)\/[\w./-]+\.\w+)`/g)].map(([, path]) => path!),
  );
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((path) => !isFile(path))).toEqual([]);
});

test("every page begins with a command", () => {
  for (const page of PAGES) expect(page).toMatch(/^# .+\n\n```sh\n/);
});

test("for behaviour that the emulator does not show, the page names only tests that exist in the named files", () => {
  const rows = section("What was shown, and where only the template speaks").split("\n");
  let file = "";
  const told = rows.flatMap((row) =>
    [...row.matchAll(/`(test\/[\w/-]+\.test\.ts)`|"([^"]+)"/g)].flatMap(([, path, name]) => {
      file = path ?? file;
      return name === undefined ? [] : [{ file, name }];
    }),
  );
  expect(told.length).toBeGreaterThan(6);
  const isThere = ({ file: path, name }: { file: string; name: string }): boolean =>
    textOf(path).includes(`test("${name}"`);
  expect(told.filter((one) => !isThere(one))).toEqual([]);
});
