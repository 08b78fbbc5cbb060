/** Translates a subscription to an event source mapping of Lambda, and to the name of the alias that the mapping calls. */
import type {
  CreateEventSourceMappingRequest,
  SourceAccessConfiguration,
  SourceAccessType,
} from "@aws-sdk/client-lambda";
import { consumerProperties, parseSource } from "../../core/registry/subscription.ts";
import type { ConsumedSubscription } from "../../engine/ports/topics.ts";

type Properties = Readonly<Record<string, string>>;

/** A property that an event source mapping cannot express. */
export class MappingError extends Error {
  override name = "MappingError";
}

/** The parts of a mapping that are compared with the existing mapping. */
export interface MappingForm {
  /** Lambda cannot change these: a mapping with another value is deleted and created again. */
  readonly fixed: Pick<
    CreateEventSourceMappingRequest,
    | "Topics"
    | "EventSourceArn"
    | "SelfManagedEventSource"
    | "StartingPosition"
    | "StartingPositionTimestamp"
    | "AmazonManagedKafkaEventSourceConfig"
    | "SelfManagedKafkaEventSourceConfig"
  >;
  readonly access: SourceAccessConfiguration[];
  readonly isEnabled: boolean;
}

const MECHANISMS: Readonly<Record<string, SourceAccessType>> = {
  PLAIN: "BASIC_AUTH",
  "SCRAM-SHA-256": "SASL_SCRAM_256_AUTH",
  "SCRAM-SHA-512": "SASL_SCRAM_512_AUTH",
};
/** Lambda reads credentials only from Secrets Manager. */
const SECRETS = ["sasl.password", "ssl.key.pem", "ssl.key.location", "ssl.certificate.pem", "ssl.ca.pem"];

/**
 * The alias of the topics function that a mapping calls. An event of Kafka does not name its mapping; the qualifier of
 * the called function identifies the mapping. The number of the reset is part of the name, because a mapping that a
 * reset has replaced may still deliver for a while.
 */
export function aliasOf({ subscription, state }: ConsumedSubscription): string {
  return `${subscription.id}-${state.reset?.number ?? 0}`;
}

/** @returns undefined for a qualifier that no subscription has, such as a version */
export function subscriptionOfAlias(
  qualifier: string,
): { readonly id: string; readonly resetNumber: number } | undefined {
  const [, id, number] = /^(sub_\w{1,100})-(\d{1,9})$/.exec(qualifier) ?? [];
  return id === undefined ? undefined : { id, resetNumber: Number(number) };
}

/** @throws MappingError */
export function mappingForm(consumption: ConsumedSubscription): MappingForm {
  const { subscription, cluster, state } = consumption;
  const properties = consumerProperties(subscription, cluster);
  const mskArn = properties["aws.msk-cluster-arn"];
  const group = { ConsumerGroupId: groupOf(state, properties["group.id"]) };
  return {
    fixed: {
      Topics: [parseSource(subscription.source).topic],
      ...beginning(consumption, properties),
      ...(mskArn === undefined
        ? {
            SelfManagedEventSource: { Endpoints: { KAFKA_BOOTSTRAP_SERVERS: brokersOf(properties) } },
            SelfManagedKafkaEventSourceConfig: group,
          }
        : { EventSourceArn: mskArn, AmazonManagedKafkaEventSourceConfig: group }),
    },
    access: accessOf(properties, mskArn !== undefined),
    isEnabled: state.pause === undefined,
  };
}

/** A reset needs a group without offsets, because a mapping begins at its starting position only for such a group. */
function groupOf({ reset }: ConsumedSubscription["state"], group: string): string {
  return reset === undefined ? group : `${group}-${reset.number}`;
}

function beginning({ state }: ConsumedSubscription, properties: Properties): Partial<MappingForm["fixed"]> {
  const { reset } = state;
  if (reset === undefined) {
    const asked = properties["auto.offset.reset"] ?? "latest";
    return { StartingPosition: /^(?:earliest|smallest|beginning)$/i.test(asked) ? "TRIM_HORIZON" : "LATEST" };
  }
  switch (reset.to.kind) {
    case "earliest":
      return { StartingPosition: "TRIM_HORIZON" };
    case "latest":
      return { StartingPosition: "LATEST" };
    case "time":
      return { StartingPosition: "AT_TIMESTAMP", StartingPositionTimestamp: new Date(reset.to.atMs) };
    case "offsets":
      throw new MappingError(
        "On AWS a subscription cannot be reset to offsets, because an event source mapping has none; reset it to a time",
      );
  }
}

function brokersOf(properties: Properties): string[] {
  const list = properties["bootstrap.servers"] ?? properties["metadata.broker.list"] ?? "";
  const brokers = list.split(",").map((one) => one.trim().replace(/^[a-z_]{1,20}:\/\//i, ""));
  const named = brokers.filter((one) => one !== "").map((one) => (/:\d{1,5}$/.test(one) ? one : `${one}:9092`));
  if (named.length > 0) return named;
  throw new MappingError("The cluster has neither bootstrap.servers nor aws.msk-cluster-arn");
}

function accessOf(properties: Properties, isMsk: boolean): SourceAccessConfiguration[] {
  const given = SECRETS.find((name) => (properties[name] ?? "") !== "");
  if (given !== undefined) {
    throw new MappingError(
      `On AWS ${given} has no effect: store the credentials in Secrets Manager, and name the secret in aws.secret-arn`,
    );
  }
  return [
    ...listed(properties["aws.subnets"]).map((id) => ({ Type: "VPC_SUBNET" as const, URI: `subnet:${id}` })),
    ...listed(properties["aws.security-groups"]).map((id) => ({
      Type: "VPC_SECURITY_GROUP" as const,
      URI: `security_group:${id}`,
    })),
    ...credentialsOf(properties, isMsk),
    ...listed(properties["aws.root-ca-secret-arn"]).map((uri) => ({
      Type: "SERVER_ROOT_CA_CERTIFICATE" as const,
      URI: uri,
    })),
  ];
}

/**
 * Without a secret, Lambda authenticates at an MSK cluster by the role of the function, and does not authenticate at
 * any other cluster.
 */
function credentialsOf(properties: Properties, isMsk: boolean): SourceAccessConfiguration[] {
  const secret = properties["aws.secret-arn"];
  const protocol = (properties["security.protocol"] ?? (isMsk ? "sasl_ssl" : "plaintext")).toLowerCase();
  if (secret === undefined) {
    if (isMsk || !protocol.startsWith("sasl")) return [];
    throw new MappingError(`security.protocol ${protocol} needs aws.secret-arn, a secret with username and password`);
  }
  if (protocol === "ssl") return [{ Type: "CLIENT_CERTIFICATE_TLS_AUTH", URI: secret }];
  const asked = (properties["sasl.mechanism"] ?? (isMsk ? "SCRAM-SHA-512" : "PLAIN")).toUpperCase();
  const type = MECHANISMS[asked];
  if (type !== undefined) return [{ Type: type, URI: secret }];
  throw new MappingError(`sasl.mechanism is one of ${Object.keys(MECHANISMS).join(", ")}, and not '${asked}'`);
}

function listed(text: string | undefined): readonly string[] {
  return (text ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
