/** The properties of a Kafka cluster that name its brokers. */
type Properties = Readonly<Record<string, string>>;

/** True if the properties name an initial broker; a Kafka client needs at least one. */
export function namesBrokers(properties: Properties): boolean {
  return names(properties, "bootstrap.servers") || names(properties, "metadata.broker.list");
}

/** True if the properties name brokers, or a cluster of Amazon MSK, whose brokers Lambda looks up by itself. */
export function namesCluster(properties: Properties): boolean {
  return namesBrokers(properties) || names(properties, "aws.msk-cluster-arn");
}

function names(properties: Properties, property: string): boolean {
  return (properties[property] ?? "") !== "";
}
