/** Props that are certainly wrong are refused at synthesis, in a message that names them. */
import { CfnParameter, Stack } from "aws-cdk-lib";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Key } from "aws-cdk-lib/aws-kms";
import { expect, test } from "vitest";
import { checkProps, type CheckedProps } from "../../infra/checked-props.ts";
import { OWNED_SETTINGS } from "../../infra/lambda/owned-settings.ts";
import { SETTING_PATHS } from "../../shared/config/settings-table.ts";
import { briefApp } from "./brief-app.ts";
import { actionsOf, resourcesOf, statementsOf, synthesised } from "./synthesised.ts";

/** Props as they come from a program without types, or from the context of `cdk deploy`. */
const untyped = (props: Readonly<Record<string, unknown>>) => props as CheckedProps;

test.each([
  [{ settings: { "aws.fair-que": "none" } }, "there is no setting aws.fair-que; did you mean aws.fair-queue?"],
  [{ settings: { "aws.fair-queue": "off" } }, 'settings: aws.fair-queue: "off" is not'],
  [{ settings: { "worker.lease": "20" } }, 'settings: worker.lease: "20" is not'],
  [{ settings: { "aws.table": "t" } }, "settings: aws.table is decided by the stack; set table instead"],
  [
    { settings: { "aws.signing-key": "2" } },
    "settings: aws.signing-key is decided by the stack; set signingKey instead",
  ],
  [{ settings: { "aws.queue-url": "q" } }, "settings: aws.queue-url is decided by the stack; it cannot be set"],
  [{ environmentName: "my shop/live" }, 'environmentName: "my shop/live" is not 1 to 58 letters'],
  [{ environmentName: "x".repeat(59) }, "is not 1 to 58 letters"],
  [{ signingKey: 0 }, "signingKey: 0 is not a whole number, 1 or more"],
  [{ signingKey: Number("two") }, "is not a whole number"],
  [{ ingressThrottle: { ratePerS: 0, burst: 5 } }, "ingressThrottle: ratePerS: 0 is not a whole number, 1 or more"],
  [{ ingressThrottle: { ratePerS: 10, burst: 2.5 } }, "ingressThrottle: burst: 2.5 is not a whole number, 1 or more"],
  [{ ingressThrottle: { ratePerS: 10 } }, "ingressThrottle: burst: what was given is not a whole number"],
  [{ ingressCors: { origins: [] } }, 'ingressCors: origins: [] is not "*" or origins'],
  [{ ingressCors: { origins: ["https://a.example/"] } }, 'ingressCors: origins: "https://a.example/" is not "*" or'],
  [{ ingressCors: {} }, 'ingressCors: origins: what was given is not "*" or'],
  [{ reservedConcurrency: { sweeper: 0 } }, "reservedConcurrency: sweeper: 0 is not a whole number, 1 or more"],
  [{ reservedConcurrency: { worker: 50 } }, 'reservedConcurrency: "worker" is not one of ingress, admin, sweeper'],
  [{ sweeperMemoryMb: 256 }, "sweeperMemoryMb: 256 is not a number from 512 to 10240"],
  [{ vpcSubnets: {} }, "vpcSubnets: it applies only together with vpc"],
  [{ securityGroups: [{}] }, "securityGroups: it applies only together with vpc"],
  [{ vpc: {}, securityGroups: [] }, "securityGroups: [] is not a list of one group or more"],
  [{ ingressAuth: "IAM" }, 'ingressAuth: "IAM" is not "open", "iam" or { jwt'],
  [
    { ingressAuth: { jwt: { issuer: "https://id.example", audiences: ["a"], scopes: [] } } },
    "ingressAuth: scopes: [] is not one scope or more",
  ],
  [{ ingressAuth: "jwt" }, 'ingressAuth: "jwt" is not "open", "iam" or { jwt'],
])("%j is refused", (props, words) => {
  expect(() => checkProps(untyped(props), "eu-west-1")).toThrow(words);
  expect(() => synthesised(untyped(props))).toThrow(words);
});

test("every setting that the stack owns is refused, even with a value known only at deployment, and no other setting is", () => {
  const later = new CfnParameter(new Stack(briefApp()), "Later").valueAsString;
  const refused = SETTING_PATHS.filter((path) => {
    try {
      checkProps({ settings: { [path]: later } }, "eu-west-1");
      return false;
    } catch {
      return true;
    }
  });
  expect(refused.sort()).toEqual(Object.keys(OWNED_SETTINGS).sort());
});

test("a value that is known only at deployment is accepted", () => {
  const endpoint = new CfnParameter(new Stack(briefApp()), "Endpoint").valueAsString;
  expect(() =>
    checkProps({ settings: { "tracing-endpoint": endpoint, "worker.lease": "20s" } }, "eu-west-1"),
  ).not.toThrow();
});

test("a key of one's own needs a stack with an explicit Region, unless the table is given", () => {
  const stack = new Stack(briefApp(), "Anywhere");
  const encryptionKey = new Key(stack, "Key");
  const table = TableV2.fromTableName(stack, "Table", "restored");
  expect(() => checkProps({ encryptionKey }, stack.region)).toThrow("encryptionKey: a table with a key of one's own");
  expect(() => checkProps({ encryptionKey }, "eu-west-1")).not.toThrow();
  expect(() => checkProps({ encryptionKey, table }, stack.region)).not.toThrow();
});

test("a stack whose `handlerArns` is empty has no right to call any function", () => {
  const grantsCalls = (handlerArns?: readonly string[]) =>
    statementsOf(synthesised(handlerArns && { handlerArns })).some(({ statement }) =>
      actionsOf(statement).includes("lambda:InvokeFunction"),
    );
  expect(grantsCalls([])).toBe(false);
  expect(grantsCalls()).toBe(true);
});

test("the APIs of an environment have its name", () => {
  const apis = resourcesOf(synthesised({ environmentName: "shop" }), "AWS::ApiGatewayV2::Api");
  const names = new Set(apis.map(([, { Properties }]) => Properties["Name"]));
  expect(names).toEqual(new Set(["shop-ingress", "shop-admin"]));
});
