/** The template of a user's app as `npm run localstack -- --app` deploys it: only what the emulator lacks is changed. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { emulatedTemplate } from "../../localstack/own-app.mjs";
import { synthesised } from "./synthesised.ts";

const ENDPOINT = "http://localhost:4566";
interface Given {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
}
const template = synthesised().toJSON() as { readonly Resources: Readonly<Record<string, Given>> };
const changed = emulatedTemplate(template, ENDPOINT) as typeof template;
const typesOf = (one: typeof template) => Object.values(one.Resources).map(({ Type }) => Type);

test("alarms on sums of metrics and policies that only refuse plain HTTP are left out, and nothing else", () => {
  const gone = Object.entries(template.Resources).filter(([id]) => changed.Resources[id] === undefined);
  expect(new Set(gone.map(([, { Type }]) => Type))).toEqual(
    new Set(["AWS::CloudWatch::Alarm", "AWS::SQS::QueuePolicy"]),
  );
  const sums = Object.values(template.Resources).filter(({ Properties }) =>
    JSON.stringify(Properties?.["Metrics"] ?? "").includes("Expression"),
  );
  expect(gone.filter(([, { Type }]) => Type === "AWS::CloudWatch::Alarm")).toHaveLength(sums.length);
  expect(sums.length).toBeGreaterThan(0);
  expect(typesOf(changed)).toContain("AWS::CloudWatch::Alarm");
});

test("no resource depends on one that is left out", () => {
  const ids = Object.keys(changed.Resources);
  const missing = Object.values(changed.Resources).flatMap(({ DependsOn = [] }) =>
    [DependsOn].flat().filter((id) => !ids.includes(id)),
  );
  expect(missing).toEqual([]);
  const some = {
    Resources: {
      A: { Type: "AWS::CloudWatch::Alarm", Properties: { Metrics: [{ Expression: "a+b" }] } },
      B: { Type: "X", DependsOn: "A" },
      C: { Type: "X", DependsOn: ["A", "B"] },
    },
  };
  expect(emulatedTemplate(some, ENDPOINT)).toEqual({
    Resources: { B: { Type: "X" }, C: { Type: "X", DependsOn: ["B"] } },
  });
});

test("APIs have their addresses at the emulator, also in the properties of custom resources", () => {
  const text = JSON.stringify(changed);
  expect(text).not.toContain('"ApiEndpoint"');
  const api = { Type: "AWS::ApiGatewayV2::Api" };
  const url = { "Fn::GetAtt": ["Api", "ApiEndpoint"] };
  const given = {
    Resources: { Api: api, Registered: { Type: "Custom::StepwellDeployment", Properties: { AdminUrl: url } } },
    Outputs: { Url: { Value: url } },
  };
  const here = { "Fn::Join": ["", [`${ENDPOINT}/_aws/execute-api/`, { Ref: "Api" }]] };
  expect(emulatedTemplate(given, ENDPOINT)).toMatchObject({
    Resources: { Registered: { Properties: { AdminUrl: here } } },
    Outputs: { Url: { Value: here } },
  });
});

test("rights by the tag of a function and by the group of a schedule, which the emulator does not know, become wider", () => {
  const text = JSON.stringify(changed);
  expect([
    JSON.stringify(template).includes("aws:ResourceTag/stepwell"),
    text.includes("aws:ResourceTag/stepwell"),
  ]).toEqual([true, false]);
  expect(text).toContain("arn:aws:scheduler:*:*:schedule/*");
  // Conditions that the emulator knows stay.
  expect(text).toContain("dynamodb:LeadingKeys");
  expect(text).toContain("ssm:Overwrite");
});

test("the guide shows the app that the suite deploys", () => {
  const fileOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const app = fileOf("examples/cdk-app/app.mjs");
  expect(fileOf("docs/operating/aws.md")).toContain(`\`\`\`js\n${app.slice(app.indexOf("import"))}\`\`\``);
});
