/** Tests which event source mapping a subscription becomes, for each kind of cluster, credentials and reset. */
import { expect, test } from "vitest";
import {
  aliasOf,
  mappingForm,
  MappingError,
  subscriptionOfAlias,
} from "../../../shared/adapters/event-sources/mapping-form.ts";
import type { SubscriptionId } from "../../../shared/core/model/ids.ts";
import type { ResetTarget } from "../../../shared/core/topics/position.ts";
import type { ConsumedSubscription } from "../../../shared/engine/ports/topics.ts";

function of(properties: Readonly<Record<string, string>>, to?: ResetTarget): ConsumedSubscription {
  return {
    subscription: {
      id: "sub_1abc" as SubscriptionId,
      source: "kafka://main/orders",
      sink: "service://S/greet",
      options: {},
    },
    cluster: { name: "main", properties, createdAtMs: 0 },
    state: to === undefined ? {} : { reset: { number: 3, to, atMs: 0 } },
  };
}

const BROKER = { "bootstrap.servers": "SASL_SSL://b:9093" };

test.each([
  ["no credentials", {}, []],
  ["SASL/PLAIN", { "security.protocol": "sasl_ssl", "aws.secret-arn": "s" }, [{ Type: "BASIC_AUTH", URI: "s" }]],
  [
    "SCRAM",
    { "security.protocol": "SASL_SSL", "sasl.mechanism": "scram-sha-256", "aws.secret-arn": "s" },
    [{ Type: "SASL_SCRAM_256_AUTH", URI: "s" }],
  ],
  [
    "a client certificate and a private authority",
    { "security.protocol": "ssl", "aws.secret-arn": "s", "aws.root-ca-secret-arn": "r" },
    [
      { Type: "CLIENT_CERTIFICATE_TLS_AUTH", URI: "s" },
      { Type: "SERVER_ROOT_CA_CERTIFICATE", URI: "r" },
    ],
  ],
  [
    "a network",
    { "aws.subnets": "subnet-1, subnet-2", "aws.security-groups": "sg-1" },
    [
      { Type: "VPC_SUBNET", URI: "subnet:subnet-1" },
      { Type: "VPC_SUBNET", URI: "subnet:subnet-2" },
      { Type: "VPC_SECURITY_GROUP", URI: "security_group:sg-1" },
    ],
  ],
])("a mapping for a self-managed cluster with %s has its brokers and access configurations", (_what, more, access) => {
  const form = mappingForm(of({ ...BROKER, ...more }));
  expect(form.access).toEqual(access);
  expect(form.fixed.SelfManagedEventSource?.Endpoints?.KAFKA_BOOTSTRAP_SERVERS).toEqual(["b:9093"]);
});

test("a cluster of MSK is named by its ARN; without a secret the role of the topics function authenticates", () => {
  const form = mappingForm(of({ "aws.msk-cluster-arn": "arn:aws:kafka:eu-west-1:1:cluster/c/1" }));
  expect(form.fixed).toMatchObject({
    EventSourceArn: "arn:aws:kafka:eu-west-1:1:cluster/c/1",
    AmazonManagedKafkaEventSourceConfig: { ConsumerGroupId: "sub_1abc" },
  });
  expect(form.access).toEqual([]);
});

test("a mapping's consumer group comes from the subscription, else from the cluster; else it is the subscription's id", () => {
  const groupWith = (properties: object, options = {}) => {
    const consumption = of({ ...BROKER, ...properties });
    const { fixed } = mappingForm({ ...consumption, subscription: { ...consumption.subscription, options } });
    return fixed.SelfManagedKafkaEventSourceConfig?.ConsumerGroupId;
  };
  expect(groupWith({ "group.id": "theirs" }, { "group.id": "mine" })).toBe("mine");
  expect(groupWith({ "group.id": "theirs" })).toBe("theirs");
  expect(groupWith({})).toBe("sub_1abc");
});

test.each<readonly [ResetTarget, object]>([
  [{ kind: "earliest" }, { StartingPosition: "TRIM_HORIZON" }],
  [{ kind: "latest" }, { StartingPosition: "LATEST" }],
  [
    { kind: "time", atMs: 7 },
    { StartingPosition: "AT_TIMESTAMP", StartingPositionTimestamp: new Date(7) },
  ],
])("after a reset to %j, a new consumer group begins at that position", (to, expected) => {
  const { fixed } = mappingForm(of(BROKER, to));
  expect(fixed).toMatchObject({ ...expected, SelfManagedKafkaEventSourceConfig: { ConsumerGroupId: "sub_1abc-3" } });
});

test.each([
  ["a reset to offsets", of(BROKER, { kind: "offsets", offsets: { "0": 1 } }), /reset it to a time/],
  ["a password in the properties", of({ ...BROKER, "sasl.password": "x" }), /Secrets Manager/],
  ["SASL without a secret", of({ ...BROKER, "security.protocol": "sasl_ssl" }), /needs aws\.secret-arn/],
  ["no broker", of({}), /neither bootstrap\.servers nor/],
  [
    "an unknown mechanism",
    of({ ...BROKER, "security.protocol": "sasl_ssl", "sasl.mechanism": "GSSAPI", "aws.secret-arn": "s" }),
    /not 'GSSAPI'/,
  ],
])("%s is refused with the reason", (_what, consumption, reason) => {
  expect(() => mappingForm(consumption)).toThrow(MappingError);
  expect(() => mappingForm(consumption)).toThrow(reason);
});

test("an alias names the subscription and its last reset, and other qualifiers name none", () => {
  expect(subscriptionOfAlias(aliasOf(of(BROKER, { kind: "latest" })))).toEqual({ id: "sub_1abc", resetNumber: 3 });
  for (const other of ["$LATEST", "12", "live", "sub_1abc", "sub_1abc-x"])
    expect(subscriptionOfAlias(other)).toBeUndefined();
});
