/** The setting of Kafka clusters: a list of tables, or a text that contains such a list in TOML or in JSON. */
import { namesCluster } from "../core/model/kafka-brokers.ts";
import type { Setting } from "./setting-kinds.ts";

export interface ConfiguredCluster {
  readonly name: string;
  /** The names are those of librdkafka. */
  readonly properties: Readonly<Record<string, string>>;
}

const CLUSTERS_MAX = 100;
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i;

/**
 * Each table has a `name`, and either `brokers` or a property that names the cluster, such as `bootstrap.servers`. Each table may
 * have further properties of the cluster's Kafka clients.
 */
export function kafkaClusters(doc: string): Setting<readonly ConfiguredCluster[] | undefined> {
  return {
    kind: "text",
    fallbackText: "",
    fallback: undefined,
    doc,
    mayBeSecret: true,
    textIsToml: true,
    expected:
      'a list of clusters, each with a name and brokers, such as [{ name = "main", brokers = ["broker:9092"] }]',
    read(raw) {
      if (!Array.isArray(raw) || raw.length > CLUSTERS_MAX) return undefined;
      const clusters = raw.map(clusterOf);
      const names = new Set(clusters.map((one) => one?.name));
      const isValid = clusters.every((one) => one !== undefined) && names.size === clusters.length;
      return isValid ? { value: clusters } : undefined;
    },
  };
}

function clusterOf(raw: unknown): ConfiguredCluster | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const { name, brokers, ...more } = raw as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || !NAME.test(name)) return undefined;
  const given: Record<string, string> = {
    ...(Array.isArray(brokers) && { "bootstrap.servers": brokers.join(",") }),
    ...flat(more, ""),
  };
  return namesCluster(given) ? { name, properties: given } : undefined;
}

/** An unquoted key with dots makes inner tables in TOML. */
function flat(table: object, prefix: string): Readonly<Record<string, string>> {
  return Object.assign(
    {},
    ...Object.entries(table).map(([name, value]: [string, unknown]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? flat(value, `${prefix}${name}.`)
        : { [prefix + name]: String(value) },
    ),
  ) as Readonly<Record<string, string>>;
}
