/** The routes of the Kafka clusters that subscriptions read from. */
import { withoutSecrets } from "../../../core/model/secret-properties.ts";
import { namesBrokers } from "../../../core/model/kafka-brokers.ts";
import { parseSource, subscriptionsOf, type KafkaCluster } from "../../../core/registry/subscription.ts";
import type { Engine } from "../../../engine/engine.ts";
import { readKafka } from "../../../engine/register/kafka-items.ts";
import { createKafkaCluster, removeKafkaCluster, updateKafkaCluster } from "../../../engine/register/subscribe.ts";
import { followChange } from "../../../engine/topics/follow-subscriptions.ts";
import { emptyResponse, jsonResponse, type HttpResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { type AdminRequest, route, pathParam } from "../requests/admin-request.ts";
import { readJsonBody, readQuery } from "../requests/json-body.ts";
import {
  CreateKafkaCluster,
  KafkaClusterBody,
  KafkaClusters,
  RemoveKafkaClusterQuery,
  ShowKafkaClusterQuery,
  UpdateKafkaCluster,
} from "../../contract/topics.ts";
import { subscriptionBodies } from "./subscription-body.ts";
import { momentText } from "../requests/json-members.ts";

export const CLUSTER_ROUTES = [
  route("GET", "/kafka-clusters", listClusters, {
    summary: "List the Kafka clusters",
    answers: { 200: KafkaClusters },
  }),
  route("POST", "/kafka-clusters", createCluster, {
    summary: "Configure a Kafka cluster",
    body: [CreateKafkaCluster],
    answers: { 201: KafkaClusterBody },
  }),
  route("GET", "/kafka-clusters/:name", showCluster, {
    summary: "Show a Kafka cluster",
    query: ShowKafkaClusterQuery,
    answers: { 200: KafkaClusterBody },
  }),
  route("PATCH", "/kafka-clusters/:name", patchCluster, {
    summary: "Replace the properties of a Kafka cluster",
    body: [UpdateKafkaCluster],
    answers: { 200: KafkaClusterBody },
  }),
  route("DELETE", "/kafka-clusters/:name", removeCluster, {
    summary: "Remove a Kafka cluster",
    query: RemoveKafkaClusterQuery,
    answers: { 202: null },
  }),
];

async function createCluster({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const { name, properties } = readJsonBody(request, CreateKafkaCluster);
  assertBrokers(properties);
  const cluster = await createKafkaCluster(engine, { name, properties });
  if (cluster === undefined) throw new HttpProblem(409, `The Kafka cluster '${name}' exists already`);
  await followCluster(engine, name);
  return jsonResponse(201, clusterBody(cluster), { location: `kafka-clusters/${name}` });
}

async function listClusters({ engine }: AdminRequest): Promise<HttpResponse> {
  return jsonResponse(200, { clusters: (await readKafka(engine)).clusters.map(clusterBody) });
}

async function showCluster(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "name");
  const { include_subscriptions: whole } = readQuery(asked.request, ShowKafkaClusterQuery);
  const read = await readKafka(asked.engine);
  const cluster = read.clusters.find((one) => one.name === name);
  if (cluster === undefined) throw unknownCluster(name);
  const users = whole ? subscriptionsOf(name, read.subscriptions) : [];
  return jsonResponse(200, {
    ...clusterBody(cluster),
    subscriptions: await subscriptionBodies(asked.engine, read, users),
  });
}

async function patchCluster(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "name");
  const { properties } = readJsonBody(asked.request, UpdateKafkaCluster);
  assertBrokers(properties);
  const updated = await updateKafkaCluster(asked.engine, name, properties);
  if (updated.kind === "unknown") throw unknownCluster(name);
  if (updated.kind === "configured") throw configuredCluster(name);
  await followCluster(asked.engine, name);
  return jsonResponse(200, clusterBody(updated.cluster));
}

async function removeCluster(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "name");
  const { force } = readQuery(asked.request, RemoveKafkaClusterQuery);
  const removed = await removeKafkaCluster(asked.engine, name, force);
  if (removed.kind === "unknown") throw unknownCluster(name);
  if (removed.kind === "configured") throw configuredCluster(name);
  if (removed.kind === "in-use") {
    const ids = removed.subscriptions.map(({ id }) => id).join(", ");
    throw new HttpProblem(409, `The Kafka cluster '${name}' is used by ${ids}. Delete those first, or use force=true`);
  }
  await followCluster(asked.engine, name);
  return emptyResponse(202);
}

async function followCluster(engine: Engine, name: string): Promise<void> {
  await followChange(engine, ({ source }) => parseSource(source).cluster === name);
}

function assertBrokers(properties: Readonly<Record<string, string>>): void {
  if (namesBrokers(properties)) return;
  throw new HttpProblem(400, "The properties lack 'bootstrap.servers' (or 'metadata.broker.list')");
}

const READ_ONLY = "The cluster is part of the configuration, and the admin API cannot change it";

function clusterBody({ name, properties, createdAtMs, configured }: KafkaCluster): KafkaClusterBody {
  return {
    name,
    properties: withoutSecrets(properties),
    created_at: momentText(createdAtMs),
    ...(configured === true && { info: [{ message: READ_ONLY }] }),
  };
}

function configuredCluster(name: string): HttpProblem {
  return new HttpProblem(409, `The Kafka cluster '${name}' is part of the configuration: change it there, and restart`);
}

function unknownCluster(name: string): HttpProblem {
  return new HttpProblem(404, `The requested Kafka cluster '${name}' does not exist`);
}
