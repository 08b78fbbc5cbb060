/** The Kafka clusters that an environment consumes: their properties as settings, and the rights to read from them. */
import { ArnFormat, Stack, Token } from "aws-cdk-lib";
import type { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { granting, joining } from "./grants.ts";

export interface KafkaClusterProps {
  /** Subscriptions name the cluster in their source: `kafka://<name>/<topic>`. */
  readonly name: string;
  /** `<host>:<port>` of each broker of a self-managed cluster; absent for a cluster of MSK. */
  readonly bootstrapServers?: readonly string[];
  /** A cluster of Amazon MSK. Without a secret, the role of the function authenticates. */
  readonly mskClusterArn?: string;
  /** How Lambda authenticates with `secretArn`; by default SCRAM-SHA-512 for MSK. Other clusters need both properties or none. */
  readonly auth?: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512" | "mTLS";
  /** The secret with `username` and `password`, or with `certificate` and `privateKey` for mTLS. */
  readonly secretArn?: string;
  /** The secret with the certificate of a private authority. */
  readonly rootCaSecretArn?: string;
  /** The subnets and security groups through which Lambda reaches a cluster in a VPC; absent for MSK, which has its own. */
  readonly subnetIds?: readonly string[];
  readonly securityGroupIds?: readonly string[];
  /** Further properties of the cluster, such as `auto.offset.reset`. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** @throws Error with the property and what is expected */
export function checkKafkaClusters(clusters: readonly KafkaClusterProps[]): void {
  const names = clusters.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`kafkaClusters: two clusters have the name '${twice}'`);
  for (const { name, bootstrapServers = [], mskClusterArn, auth, secretArn } of clusters) {
    if (!Token.isUnresolved(name) && !/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(name))
      throw new Error(`kafkaClusters: '${name}' is not a name of letters, digits, hyphens and dots`);
    if (bootstrapServers.length > 0 === (mskClusterArn !== undefined))
      throw new Error(`kafkaClusters: '${name}' needs either bootstrapServers or mskClusterArn`);
    if ((auth === undefined) !== (secretArn === undefined) && mskClusterArn === undefined)
      throw new Error(`kafkaClusters: '${name}' needs auth and secretArn together`);
  }
}

/** The value of the setting `ingress.kafka-clusters`. */
export function kafkaClustersSetting(scope: Construct, clusters: readonly KafkaClusterProps[]): string {
  return Stack.of(scope).toJsonString(clusters.map(settingOf));
}

function settingOf(cluster: KafkaClusterProps): Readonly<Record<string, string>> {
  const { name, bootstrapServers = [], mskClusterArn, auth, secretArn, rootCaSecretArn, properties = {} } = cluster;
  const { subnetIds = [], securityGroupIds = [] } = cluster;
  const all: Readonly<Record<string, string | undefined>> = {
    ...properties,
    name,
    "bootstrap.servers": bootstrapServers.length === 0 ? undefined : bootstrapServers.join(","),
    "security.protocol": auth === undefined ? undefined : auth === "mTLS" ? "ssl" : "sasl_ssl",
    "sasl.mechanism": auth === "mTLS" ? undefined : auth,
    "aws.msk-cluster-arn": mskClusterArn,
    "aws.secret-arn": secretArn,
    "aws.root-ca-secret-arn": rootCaSecretArn,
    "aws.subnets": subnetIds.length === 0 ? undefined : subnetIds.join(","),
    "aws.security-groups": securityGroupIds.length === 0 ? undefined : securityGroupIds.join(","),
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given);
}

/** The rights of the topics function's role, with which Lambda itself reads the clusters. */
export function readingClusters(scope: Construct, clusters: readonly KafkaClusterProps[]): PolicyStatement[] {
  const secrets = clusters.flatMap(({ secretArn, rootCaSecretArn }) => [secretArn ?? [], rootCaSecretArn ?? []].flat());
  const msk = clusters.flatMap(({ mskClusterArn }) => mskClusterArn ?? []);
  const isInVpc = msk.length > 0 || clusters.some(({ subnetIds = [] }) => subnetIds.length > 0);
  return [
    ...(secrets.length === 0 ? [] : [granting("readsClusterSecrets", secrets)]),
    ...(msk.length === 0 ? [] : mskRights(scope, msk)),
    ...(isInVpc ? [joining("joinsClusterNetwork")] : []),
  ];
}

/** Topics and groups of a cluster have the cluster's name and id in their ARNs. */
function mskRights(scope: Construct, arns: readonly string[]): PolicyStatement[] {
  const parts = arns.map((arn) => Stack.of(scope).splitArn(arn, ArnFormat.SLASH_RESOURCE_NAME));
  const within = (kind: string): string[] =>
    parts.map((part) => Stack.of(scope).formatArn({ ...part, resource: kind, resourceName: `${part.resourceName}/*` }));
  return [
    granting("describesClusters", arns),
    granting("connectsToClusters", arns),
    granting("readsTopics", within("topic")),
    granting("joinsGroups", within("group")),
  ];
}

/**
 * The rights of the functions that make event source mappings for subscriptions. The functions may change only the mappings
 * and aliases of the topics function.
 */
export function mappingTopics(functionArn: string): PolicyStatement[] {
  const ofTopics = { ArnLike: { "lambda:FunctionArn": [functionArn, `${functionArn}:*`] } };
  return [
    granting("aliasesTopics", [functionArn]),
    granting("mapsTopics", ["*"], ofTopics),
    granting("listsMappings", ["*"]),
  ];
}
