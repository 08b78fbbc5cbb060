/** The policies of the hardening page refuse what lets data out, lets code in or changes who may act, to everyone but the named roles. */
import { describe, expect, test } from "vitest";
import { synthesised } from "../infra/synthesised.ts";
import { textOf } from "./page-text.ts";
import {
  ALARM,
  API,
  ASSETS,
  at,
  CDK,
  DANGEROUS,
  filled,
  FUNCTION,
  HARMLESS,
  LOG,
  NAMES,
  PARAMETER,
  QUEUE,
  requests,
  role,
  RULE,
  SCHEDULES,
  STACK,
  TABLE,
} from "./hardened-requests.ts";
import { denying, isLike, type PolicyStatement } from "./policy-evaluation.ts";

const text = textOf("docs/service-control-policy.json");
const { Statement: statements } = JSON.parse(filled(text)) as { readonly Statement: readonly PolicyStatement[] };

const isDenied = (principal: string, { resource, action }: { resource: string; action: string }, more = {}): boolean =>
  denying(statements, { action, resource, context: { "aws:PrincipalArn": principal, ...more } }) !== undefined;

/** Roles that whoever may create a role can have, and one that has been there before. */
const OUTSIDERS = [
  "Live-Evil",
  "Live-StepwellFunctionsIngressRole1A2B-Y",
  "cdk-evil",
  "cdk-hnb659fds-evil",
  "administrator",
];

describe("the service control policy", () => {
  test.each(OUTSIDERS)(
    "refuses the role %s everything that lets data out, lets code in or changes who may act",
    (name) => {
      const through = requests(DANGEROUS).filter((request) => !isDenied(role(name), request));
      expect(through).toEqual([]);
    },
  );

  test("leaves reading of descriptions, logs and other resources alone", () => {
    expect(requests(HARMLESS).filter((request) => isDenied(role("administrator"), request))).toEqual([]);
  });

  test("lets the roles of the stack work, the deployer deploy, and the emergency role do everything", () => {
    for (const name of Object.keys(NAMES).filter((one) => one.endsWith("-role")))
      for (const request of requests([
        [TABLE, "GetItem PutItem"],
        [QUEUE, "SendMessage"],
        [LOG, "PutLogEvents"],
      ]))
        expect([name, isDenied(role(name), request)]).toEqual([name, false]);
    expect(requests(DANGEROUS).filter((request) => isDenied(role("emergency"), request))).toEqual([]);
    const deploys = requests([
      [CDK("deploy"), "sts:AssumeRole"],
      [CDK("file-publishing"), "sts:AssumeRole"],
    ]);
    expect(deploys.filter((request) => isDenied(role("deployer"), request))).toEqual([]);
    const changes = requests([
      [STACK, "CreateChangeSet ExecuteChangeSet"],
      [CDK("cfn-exec"), "PassRole"],
    ]);
    expect(changes.filter((request) => isDenied(CDK("deploy"), request))).toEqual([]);
    const makes = requests([
      [FUNCTION, "UpdateFunctionCode"],
      [role("ingress-role"), "PassRole PutRolePolicy"],
      [TABLE, "UpdateTable"],
    ]);
    expect(makes.filter((request) => isDenied(CDK("cfn-exec"), request))).toEqual([]);
    expect(isDenied(CDK("file-publishing"), { resource: `${ASSETS}/0a1b.zip`, action: "s3:PutObject" })).toBe(false);
  });

  test("refuses event sources of the stack's functions, and only of these", () => {
    for (const name of ["Create", "Update", "Delete"]) {
      const request = {
        action: `lambda:${name}EventSourceMapping`,
        resource: at("lambda", "event-source-mapping:0a1b"),
      };
      const to = (lambdaArn: string, who: string) => isDenied(role(who), request, { "lambda:FunctionArn": lambdaArn });
      expect([to(FUNCTION, "administrator"), to(FUNCTION, "worker-role"), to(FUNCTION, "admin-role")]).toEqual([
        true,
        true,
        false,
      ]);
      expect(to(at("lambda", "function:shop"), "administrator")).toBe(false);
    }
  });

  test("names exact roles as exceptions: no pattern that a new role could match", () => {
    for (const { Sid, Condition } of statements) {
      expect(Object.keys(Condition ?? {}), Sid).toContain("ArnNotEquals");
      const excepted = [Condition!["ArnNotEquals"]!["aws:PrincipalArn"]!].flat();
      expect(
        excepted.filter((arn) => /[*?]/.test(arn)),
        Sid,
      ).toEqual([]);
      // Each of them is itself out of reach: it cannot be created, changed or passed by others.
      for (const arn of excepted)
        for (const action of ["iam:CreateRole", "iam:UpdateAssumeRolePolicy", "iam:PassRole"])
          expect([arn, action, isDenied(role("administrator"), { resource: arn, action })]).toEqual([
            arn,
            action,
            true,
          ]);
    }
  });

  test("covers each type of resource that the templates have", () => {
    const KINDS: Readonly<Record<string, string>> = {
      "AWS::DynamoDB::GlobalTable": TABLE,
      "AWS::SQS::Queue": QUEUE,
      "AWS::SQS::QueuePolicy": QUEUE,
      "AWS::Lambda::Function": FUNCTION,
      "AWS::Lambda::Permission": FUNCTION,
      "AWS::Lambda::EventInvokeConfig": FUNCTION,
      "AWS::Lambda::EventSourceMapping": "MappingsToFunctions",
      "AWS::Scheduler::ScheduleGroup": SCHEDULES,
      "AWS::Events::Rule": RULE,
      "AWS::Logs::LogGroup": LOG,
      "AWS::CloudWatch::Alarm": ALARM,
      "AWS::IAM::Role": role("ingress-role"),
      "AWS::IAM::Policy": role("ingress-role"),
      "AWS::ApiGatewayV2::Api": API,
      "AWS::ApiGatewayV2::Stage": API,
      "AWS::ApiGatewayV2::Route": API,
      "AWS::ApiGatewayV2::Integration": API,
      "Custom::StepwellKeys": PARAMETER,
    };
    // A dashboard shows metrics and decides nothing.
    const SHOWN = ["AWS::CloudWatch::Dashboard", "AWS::CDK::Metadata"];
    const resources = synthesised().toJSON()["Resources"] as Record<string, { readonly Type: string }>;
    const types = new Set(Object.values(resources).map(({ Type }) => Type));
    expect([...types].filter((type) => KINDS[type] === undefined && !SHOWN.includes(type))).toEqual([]);
    const protectedArns = statements.flatMap(({ Resource }) => [Resource].flat());
    for (const [type, arn] of Object.entries(KINDS))
      expect([type, arn === "MappingsToFunctions" || protectedArns.some((pattern) => isLike(arn, pattern))]).toEqual([
        type,
        true,
      ]);
  });

  test("fits the size that AWS allows", () => {
    expect(JSON.stringify({ Version: "2012-10-17", Statement: statements }).length).toBeLessThan(5_120);
  });
});

const page = filled(textOf("docs/security.md"));
const blocks = [...page.matchAll(/^ *```json\n(.*?)^ *```$/gms)].map(([, block]) => JSON.parse(block!) as unknown);

test("the tag policy refuses the tag to every role but that of deployments, in whatever way it is set", () => {
  const [policy] = blocks.filter((block) => JSON.stringify(block).includes("aws:TagKeys")) as {
    readonly Statement: readonly PolicyStatement[];
  }[];
  const asked = (principal: string, action: string, tag: string) =>
    denying(policy!.Statement, {
      action,
      resource: at("lambda", "function:shop"),
      context: { "aws:PrincipalArn": principal, "aws:TagKeys": [tag, "team"] },
    }) !== undefined;
  for (const action of ["lambda:TagResource", "lambda:UntagResource", "lambda:CreateFunction"]) {
    for (const name of OUTSIDERS)
      expect([name, action, asked(role(name), action, "stepwell")]).toEqual([name, action, true]);
    expect(asked(CDK("cfn-exec"), action, "stepwell")).toBe(false);
    expect(asked(role("administrator"), action, "cost-centre")).toBe(false);
  }
});

interface Selector {
  readonly Field: string;
  readonly Equals?: readonly string[];
  readonly StartsWith?: readonly string[];
  readonly NotStartsWith?: readonly string[];
}

test("the selectors of CloudTrail keep management events, and record each principal that is no role of the stack", () => {
  const trails = blocks.filter(Array.isArray) as { readonly FieldSelectors: readonly Selector[] }[][];
  const selectors = trails[0]!.map(({ FieldSelectors }) => FieldSelectors);
  const isRecorded = (event: Readonly<Record<string, string>>): boolean =>
    selectors.some((fields) =>
      fields.every(({ Field, Equals, StartsWith, NotStartsWith }) => {
        const value = event[Field] ?? "";
        if (Equals !== undefined) return Equals.includes(value);
        if (StartsWith !== undefined) return StartsWith.some((start) => value.startsWith(start));
        return NotStartsWith!.every((start) => !value.startsWith(start));
      }),
    );
  const read = (arn: string, type = "AWS::DynamoDB::Table", resource = TABLE) =>
    isRecorded({ eventCategory: "Data", "resources.type": type, "resources.ARN": resource, "userIdentity.arn": arn });
  const session = (name: string) => `arn:aws:sts::111122223333:assumed-role/${NAMES[name] ?? name}/session`;
  expect(isRecorded({ eventCategory: "Management" })).toBe(true);
  for (const name of [...OUTSIDERS, "emergency", `${NAMES["ingress-role"]}2`])
    expect([name, read(session(name))]).toEqual([name, true]);
  for (const name of ["ingress-role", "admin-role", "worker-role", "sweeper-role", "topics-role", "keys-role"])
    expect([name, read(session(name))]).toEqual([name, false]);
  expect(read(session("administrator"), "AWS::Lambda::Function", FUNCTION)).toBe(true);
  expect(read(session("administrator"), "AWS::SQS::Queue", QUEUE)).toBe(true);
  expect(read(session("Live-Evil"), "AWS::DynamoDB::Stream", `${TABLE}/stream/2026`)).toBe(true);
});
