/** The configuration of the ingress: throttling, CORS, and the access log. */
import { RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import type { Template } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { describe, expect, test } from "vitest";
import type { StepwellProps } from "../../infra/stepwell.ts";
import prices from "../../docs/prices.json" with { type: "json" };
import { briefApp } from "./brief-app.ts";
import { resourcesOf, synthesised, type Resource } from "./synthesised.ts";

const KEY = "arn:aws:kms:eu-west-1:111122223333:key/1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f";
/** CloudWatch bills this many bytes for each line in addition to its text. */
const LINE_EXTRA_BYTES = 26;

function stagesOf(template: Template) {
  const stages = resourcesOf(template, "AWS::ApiGatewayV2::Stage");
  const [[, admin], [, ingress]] = [/Admin/, /Ingress/].map((name) => stages.find(([id]) => name.test(id))!) as [
    readonly [string, Resource],
    readonly [string, Resource],
  ];
  return { admin: admin.Properties, ingress: ingress.Properties };
}

/** The rules whose findings the stack acknowledges with a reason. */
function acknowledged(props: Partial<StepwellProps>): readonly string[] {
  let told = "";
  synthesised(props, (stepwell) => {
    const entries = Stack.of(stepwell)
      .node.findAll()
      .flatMap(({ node }) => node.metadata);
    told = JSON.stringify(entries.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY));
  });
  return [...told.matchAll(/AwsSolutions-[A-Z]+\d+/g)].map(([rule]) => rule);
}

describe("the throttle of the ingress", () => {
  test("is by default that of the account", () => {
    expect(stagesOf(synthesised()).ingress["DefaultRouteSettings"]).toBeUndefined();
  });

  test("applies to every route of its stage, and not to the admin API", () => {
    const { admin, ingress } = stagesOf(synthesised({ ingressThrottle: { ratePerS: 50, burst: 200 } }));
    expect(ingress["DefaultRouteSettings"]).toEqual({ ThrottlingRateLimit: 50, ThrottlingBurstLimit: 200 });
    expect(admin["DefaultRouteSettings"]).toBeUndefined();
  });
});

describe("web pages that call handlers", () => {
  const origins = ["https://shop.example.com"];
  const jwt = { issuer: "https://login.example.com", audiences: ["orders"] };
  const corsOf = (template: Template) => {
    const apis = resourcesOf(template, "AWS::ApiGatewayV2::Api");
    return apis.map(([id, { Properties }]) => [
      /Admin/.test(id) ? "admin" : "ingress",
      Properties["CorsConfiguration"],
    ]);
  };
  const routesOf = (template: Template) =>
    resourcesOf(template, "AWS::ApiGatewayV2::Route")
      .filter(([id]) => !/Admin/.test(id))
      .map(([, { Properties }]) => [Properties["RouteKey"], Properties["AuthorizationType"]]);

  test("get their CORS headers from the ingress itself by default", () => {
    for (const props of [{}, { ingressAuth: "open" as const }, { ingressAuth: { jwt } }]) {
      const template = synthesised(props);
      expect(corsOf(template).map(([, cors]) => cors)).toEqual([undefined, undefined]);
      expect(routesOf(template).map(([key]) => key)).toEqual(["$default"]);
    }
  });

  test("send a preflight without a token, and a call with it", () => {
    const template = synthesised({ ingressAuth: { jwt }, ingressCors: { origins } });
    expect(Object.fromEntries(routesOf(template) as never)).toEqual({ $default: "JWT", "OPTIONS /{proxy+}": "NONE" });
    const { ingress, admin } = Object.fromEntries(corsOf(template) as never) as Record<string, never>;
    expect(admin).toBeUndefined();
    expect(ingress).toMatchObject({ AllowOrigins: origins, AllowMethods: ["GET", "POST"] });
    expect(ingress!["AllowHeaders"]).toEqual(expect.arrayContaining(["authorization", "content-type"]));
    expect(ingress!["ExposeHeaders"]).toContain("x-restate-id");
    expect(ingress!["AllowCredentials"]).toBeUndefined();
  });

  test("may send further headers if the construct names them", () => {
    const template = synthesised({ ingressAuth: "open", ingressCors: { origins: ["*"], headers: ["x-tenant"] } });
    const { ingress } = Object.fromEntries(corsOf(template) as never) as Record<string, never>;
    expect(ingress!["AllowHeaders"]).toContain("x-tenant");
    // The default route needs no authorization, so a preflight needs no separate route.
    expect(routesOf(template)).toEqual([["$default", "NONE"]]);
  });
});

test("the APIs are exposed, so that users can set options for which the construct has no property", () => {
  synthesised({}, ({ ingress, admin }) => {
    expect(Stack.of(ingress).resolve(ingress.api.apiId)).toEqual({ Ref: expect.stringContaining("IngressApi") });
    expect(Stack.of(admin).resolve(admin.api.apiId)).toEqual({ Ref: expect.stringContaining("AdminApi") });
  });
});

describe("the access log of the ingress", () => {
  test("is off by default, and the stack acknowledges the finding about this", () => {
    expect(stagesOf(synthesised()).ingress["AccessLogSettings"]).toBeUndefined();
    expect(acknowledged({})).toContain("AwsSolutions-APIG1");
  });

  const told = synthesised({
    ingressAccessLog: true,
    logRetention: RetentionDays.THREE_DAYS,
    removalPolicy: RemovalPolicy.DESTROY,
    encryptionKey: Key.fromKeyArn(new Stack(briefApp()), "Key", KEY),
  });
  const { admin, ingress } = stagesOf(told);
  const format = (of: typeof ingress) => (of["AccessLogSettings"] as { readonly Format: string }).Format;

  test("has the format of the admin API: no body, no header and no query", () => {
    expect(format(ingress)).toBe(format(admin));
    const variables = [...format(ingress).matchAll(/\$context\.([\w.]+)/g)].map(([, name]) => name!);
    const told = "requestTime identity.userArn identity.sourceIp httpMethod path status error.message requestId";
    expect(variables).toEqual(told.split(" "));
    expect(acknowledged({ ingressAccessLog: true })).not.toContain("AwsSolutions-APIG1");
  });

  test("contains the subject of the token if the ingress requires a token", () => {
    const jwt = { issuer: "https://login.example.com", audiences: ["orders"] };
    const { admin, ingress } = stagesOf(synthesised({ ingressAccessLog: true, ingressAuth: { jwt } }));
    expect(JSON.parse(format(ingress))).toMatchObject({ caller: "$context.authorizer.claims.sub" });
    expect(JSON.parse(format(admin))).toMatchObject({ caller: "$context.identity.userArn" });
  });

  test("has its own log group, which is kept and encrypted like every other one", () => {
    const groups = resourcesOf(told, "AWS::Logs::LogGroup");
    expect(groups).toHaveLength(7);
    const [id] = groups.find(([name]) => name.startsWith("StepwellIngressApiAccessLog"))!;
    expect(ingress["AccessLogSettings"]).toMatchObject({ DestinationArn: { "Fn::GetAtt": [id, "Arn"] } });
    expect(admin["AccessLogSettings"]).not.toMatchObject({ DestinationArn: { "Fn::GetAtt": [id, "Arn"] } });
    told.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 3, KmsKeyId: KEY });
    for (const [, group] of groups) expect(group).toMatchObject({ DeletionPolicy: "Delete" });
  });

  test("has lines no longer than its documented price assumes", () => {
    const values: Readonly<Record<string, string>> = {
      requestTime: "21/Nov/2026:09:00:00 +0000",
      "identity.userArn": "arn:aws:sts::111122223333:assumed-role/shop-orders-production/i-0123456789abcdef0",
      "identity.sourceIp": "203.0.113.100",
      httpMethod: "POST",
      path: "/restate/workflow/checkout/order-2026-11-21-000017/attach",
      status: "200",
      "error.message": "-",
      requestId: "JKJaXmPLvHcESHA=",
    };
    const line = format(ingress).replaceAll(/\$context\.([\w.]+)/g, (_all, name: string) => values[name]!);
    expect(JSON.parse(line)).toMatchObject({ status: "200" });
    expect(line.length + LINE_EXTRA_BYTES).toBeLessThanOrEqual(prices.assumed.accessLineBytes.value);
  });
});
