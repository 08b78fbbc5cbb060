/** Subscriptions, which send the messages of a Kafka topic to a handler, and their validation. */
import { CodedError } from "../errors/coded-error.ts";
import type { SubscriptionId } from "../model/ids.ts";

export interface KafkaCluster {
  readonly name: string;
  /** The names are those of librdkafka. The values may contain secrets. */
  readonly properties: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
  /** True for a cluster of the configuration, which the admin API cannot change. */
  readonly configured?: true;
}

export interface Subscription {
  readonly id: SubscriptionId;
  /** `kafka://<cluster>/<topic>` */
  readonly source: string;
  /** `service://<service>/<handler>` */
  readonly sink: string;
  /** The options override the cluster's properties. They may contain secrets. */
  readonly options: Readonly<Record<string, string>>;
}

/** Each consumer has a name and a group. */
export type ConsumerProperties = Readonly<Record<string, string> & Record<"client.id" | "group.id", string>>;

export interface SourceTopic {
  readonly cluster: string;
  readonly topic: string;
}

export interface SinkHandler {
  readonly service: string;
  readonly handler: string;
}

const PAIR = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(?:\/([^/?#]*))?$/i;
/** The names that Kafka allows. */
const TOPIC = /^[a-zA-Z0-9._-]{1,249}$/;
const DEFAULT_CLIENT_ID = "stepwell";

/** @throws CodedError META0009 if the source is malformed */
export function parseSource(source: string): SourceTopic {
  const [cluster, topic] = pairOf(source, "kafka") ?? [];
  if (!cluster || !topic) throw invalid(`the source '${source}' is not of the form kafka://<cluster>/<topic>`);
  if (!TOPIC.test(topic))
    throw invalid(`the source '${source}' names no topic: a name has up to 249 letters, digits, '.', '_' and '-'`);
  return { cluster, topic };
}

/** @throws CodedError META0009 if the sink is malformed */
export function parseSink(sink: string): SinkHandler {
  const [service, handler] = pairOf(sink, "service") ?? [];
  if (!service || !handler) throw invalid(`the sink '${sink}' is not of the form service://<service>/<handler>`);
  return { service, handler };
}

/** @throws CodedError META0009 if the source is malformed or its cluster is not configured */
export function assertSource(source: string, clusters: readonly KafkaCluster[]): void {
  const { cluster } = parseSource(source);
  if (clusters.some(({ name }) => name === cluster)) return;
  const known = clusters.map(({ name }) => `'${name}'`).join(", ");
  const which = known === "" ? "no cluster is configured" : `configured are ${known}`;
  throw invalid(`the Kafka cluster '${cluster}' of the source '${source}' is not configured; ${which}`);
}

export function invalid(reason: string): CodedError {
  return new CodedError("META0009", reason);
}

/** The subscriptions that read from a cluster. */
export function subscriptionsOf(cluster: string, all: readonly Subscription[]): readonly Subscription[] {
  return all.filter(({ source }) => parseSource(source).cluster === cluster);
}

/**
 * The subscription's options, completed by `client.id` and `group.id`. If the options lack one of these, the cluster's
 * property counts, else the default.
 */
export function consumerOptions({ id, options }: Subscription, cluster: KafkaCluster | undefined): ConsumerProperties {
  const above = cluster?.properties ?? {};
  const name = (key: string, fallback: string): string => options[key] ?? above[key] ?? fallback;
  return { ...options, "client.id": name("client.id", DEFAULT_CLIENT_ID), "group.id": name("group.id", id) };
}

/** The properties of a consumer: the options of the subscription override the properties of the cluster. */
export function consumerProperties(subscription: Subscription, cluster: KafkaCluster): ConsumerProperties {
  return { ...cluster.properties, ...consumerOptions(subscription, cluster) };
}

/** @returns the two parts of `<scheme>://<first>/<second>`, empty if missing; undefined for another form or scheme */
function pairOf(uri: string, scheme: string): readonly [string, string] | undefined {
  const match = PAIR.exec(uri);
  if (match === null || match[1]!.toLowerCase() !== scheme) return undefined;
  return [match[2]!, match[3] ?? ""];
}
