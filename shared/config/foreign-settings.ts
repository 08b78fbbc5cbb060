/** The settings of the reference server that Stepwell does not have: the reason for each, and what to use instead. */

const NODES = "Stepwell has no cluster of nodes that speak to each other";
const ADDRESS_OF_NODES = `${NODES}; ingress.bind and ingress.port, admin.bind and admin.port say where its APIs listen`;
const STORES = "Stepwell stores its data in another way; memory-size limits the memory of the process";
const HTTP2 = "connections over HTTP/2 to deployments cannot be tuned";
const ADVERTISED =
  "Stepwell has nothing to advertise to other nodes; the admin API shows where the ingress listens, and on AWS aws.ingress-endpoint";
const PROXY = "Stepwell connects to deployments without a proxy, so they have to be reachable directly";
const TRACES = "one endpoint receives all spans, so use tracing-endpoint";

/** The reasons by name. A star matches any ending, including further sections. The longest matching name counts. */
export const FOREIGN_SETTINGS: Readonly<Record<string, string>> = {
  "bind-address": ADDRESS_OF_NODES,
  "bind-port": ADDRESS_OF_NODES,
  "advertised-address": ADVERTISED,
  "advertised-host": ADVERTISED,
  "ingress.advertised-*": ADVERTISED,
  "admin.advertised-*": ADVERTISED,
  "listen-mode": "the APIs listen on TCP alone",
  "ingress.listen-mode": "the APIs listen on TCP alone",
  "admin.listen-mode": "the APIs listen on TCP alone",
  roles: "one process has all roles; on AWS each role is a function",
  "node-name": NODES,
  location: NODES,
  "force-node-id": NODES,
  "auto-provision": NODES,
  "default-num-partitions": NODES,
  "default-replication": NODES,
  "network-error-retry-policy*": NODES,
  "initialization-timeout": NODES,
  "gossip-*": NODES,
  "hlc-max-drift": NODES,
  "networking.*": NODES,
  "metadata-*": "Stepwell keeps its registry in its own store, at meta.storage-path",
  "bifrost.*": STORES,
  "log-server.*": STORES,
  "rocksdb-*": STORES,
  "worker.storage.rocksdb-*": STORES,
  "worker.snapshots.*": "Stepwell makes no snapshots; docs/operating says how to back up its data",
  "tracing-headers*": "headers for the collector come by the variable OTEL_EXPORTER_OTLP_HEADERS",
  "tracing-runtime-endpoint": TRACES,
  "tracing-json-path": TRACES,
  "tracing-filter": "every span is sent; choose in the collector",
  "log-disable-ansi-codes": "log lines have no colours",
  "disable-prometheus":
    "GET /metrics of the admin API cannot be switched off; admin.bind decides which clients reach it",
  "disable-telemetry": "Stepwell sends no telemetry",
  "proxy-address": PROXY,
  "no-proxy": PROXY,
  "worker.invoker.proxy-address": PROXY,
  "worker.invoker.no-proxy": PROXY,
  "worker.invoker.additional-request-headers*":
    "headers belong to a deployment: give additional_headers at its registration; x-restate-cluster-name follows cluster-name",
  "additional-request-headers*": "headers belong to a deployment: give additional_headers at its registration",
  "worker.invoker.http2-*": HTTP2,
  "worker.invoker.request-compression-threshold":
    "Lambda deployments alone get compressed requests, when they announce it",
  "worker.invoker.request-identity-expiration": "the lifetime of a signature cannot be set",
  "worker.invoker.message-size-warning": "worker.invoker.message-size-limit is the only limit of a message",
  "worker.invoker.memory-limit": "memory-size and the …-size-limit settings of worker.invoker divide the memory",
  "worker.invoker.per-invocation-*": "memory-size and the …-size-limit settings of worker.invoker divide the memory",
  "worker.invoker.in-memory-queue-length-limit": "waiting invocations wait in the store",
  "worker.invoker.max-awaited-future-depth": "the limits of RT0012 apply",
  "worker.invoker.tmp-dir": "waiting invocations wait in the store",
  "worker.internal-queue-length": STORES,
  "worker.max-command-batch-*": STORES,
  "worker.trim-delay-interval": STORES,
  "worker.data-service-memory-limit": STORES,
  "worker.rule-book-poll-interval": "each process learns of changed rules within a second",
  "worker.self-proposal-queue-memory-limit": STORES,
  "worker.shuffle.*": NODES,
  "admin.heartbeat-interval": NODES,
  "admin.query-engine.query-parallelism": "two statements run at a time, each in its own process",
  "admin.query-engine.tmp-dir": "admin.query-engine.memory-size limits the memory of a statement",
  "ingress.ingestion.*": STORES,
  "experimental-*": "Stepwell has no experimental features to switch",
};

const BY_LENGTH = Object.keys(FOREIGN_SETTINGS).sort((a, b) => b.length - a.length);

/** The reason why Stepwell does not have a setting of the reference server; undefined for every other name. */
export function foreignReason(name: string): string | undefined {
  const found = BY_LENGTH.find((key) =>
    key.endsWith("*") ? name.startsWith(key.slice(0, -1)) : name === key || name.startsWith(`${key}.`),
  );
  return found === undefined ? undefined : FOREIGN_SETTINGS[found];
}
