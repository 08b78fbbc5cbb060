/** The routes of subscriptions and of the Kafka clusters that they read from. */
import { IdError, parseSubscriptionId } from "../../core/model/ids.ts";
import type { SubscriptionId } from "../../core/model/ids.ts";
import { consumerOptions, namesBrokers, parseSource, subscriptionsOf } from "../../core/registry/subscription.ts";
import type { KafkaCluster, Subscription } from "../../core/registry/subscription.ts";
import { readKafka } from "../../engine/register/kafka-items.ts";
import {
  createKafkaCluster,
  removeKafkaCluster,
  subscribe,
  unsubscribe,
  updateKafkaCluster,
} from "../../engine/register/subscribe.ts";
import type { HttpResponse } from "../http/message.ts";
import { emptyResponse, jsonResponse } from "../http/message.ts";
import { HttpProblem } from "../http/problem.ts";
import type { KafkaClusterBody, SubscriptionBody } from "../wire/admin.ts";
import { pathParam } from "./admin-request.ts";
import type { AdminRequest } from "./admin-request.ts";
import { readJsonBody, readQuery } from "./json-body.ts";
import { withoutSecrets } from "./masked.ts";
import { PlainRefusal } from "./plain-refusal.ts";
import {
  CreateKafkaCluster,
  CreateSubscription,
  ListSubscriptionsQuery,
  RemoveKafkaClusterQuery,
  ShowKafkaClusterQuery,
  UpdateKafkaCluster,
} from "./request-schemas.ts";
import { momentText } from "./time-text.ts";

export async function createSubscription({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const { source, sink, options } = readJsonBody(request, CreateSubscription);
  const subscription = await subscribe(engine, { source, sink, options: options ?? {} });
  const { clusters } = await readKafka(engine);
  return jsonResponse(201, subscriptionBody(subscription, clusters), {
    location: `subscriptions/${subscription.id}`,
  });
}

export async function listSubscriptions({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const { sink, source } = readQuery(request, ListSubscriptionsQuery);
  const { subscriptions, clusters } = await readKafka(engine);
  const wanted = subscriptions.filter(
    (one) => (sink === undefined || one.sink === sink) && (source === undefined || one.source === source),
  );
  return jsonResponse(200, { subscriptions: wanted.map((one) => subscriptionBody(one, clusters)) });
}

export async function showSubscription(asked: AdminRequest): Promise<HttpResponse> {
  const id = subscriptionIdParam(asked);
  const { subscriptions, clusters } = await readKafka(asked.engine);
  const found = subscriptions.find((one) => one.id === id);
  if (found === undefined) throw unknownSubscription(id);
  return jsonResponse(200, subscriptionBody(found, clusters));
}

export async function removeSubscription(asked: AdminRequest): Promise<HttpResponse> {
  const id = subscriptionIdParam(asked);
  if (!(await unsubscribe(asked.engine, id))) throw unknownSubscription(id);
  return emptyResponse(202);
}

export async function createCluster({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const { name, properties } = readJsonBody(request, CreateKafkaCluster);
  assertBrokers(properties);
  const cluster = await createKafkaCluster(engine, { name, properties });
  if (cluster === undefined) throw new HttpProblem(409, `The Kafka cluster '${name}' exists already`);
  return jsonResponse(201, clusterBody(cluster), { location: `kafka-clusters/${name}` });
}

export async function listClusters({ engine }: AdminRequest): Promise<HttpResponse> {
  return jsonResponse(200, { clusters: (await readKafka(engine)).clusters.map(clusterBody) });
}

export async function showCluster(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "name");
  const { include_subscriptions: whole } = readQuery(asked.request, ShowKafkaClusterQuery);
  const { clusters, subscriptions } = await readKafka(asked.engine);
  const cluster = clusters.find((one) => one.name === name);
  if (cluster === undefined) throw unknownCluster(name);
  const users = whole ? subscriptionsOf(name, subscriptions) : [];
  return jsonResponse(200, {
    ...clusterBody(cluster),
    subscriptions: users.map((one) => subscriptionBody(one, clusters)),
  });
}

export async function patchCluster(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "name");
  const { properties } = readJsonBody(asked.request, UpdateKafkaCluster);
  assertBrokers(properties);
  const cluster = await updateKafkaCluster(asked.engine, name, properties);
  if (cluster === undefined) throw unknownCluster(name);
  return jsonResponse(200, clusterBody(cluster));
}

export async function removeCluster(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "name");
  const { force } = readQuery(asked.request, RemoveKafkaClusterQuery);
  const removed = await removeKafkaCluster(asked.engine, name, force);
  if (removed.kind === "unknown") throw unknownCluster(name);
  if (removed.kind === "in-use") {
    const ids = removed.subscriptions.map(({ id }) => id).join(", ");
    throw new HttpProblem(409, `The Kafka cluster '${name}' is used by ${ids}. Delete those first, or use force=true`);
  }
  return emptyResponse(202);
}

function assertBrokers(properties: Readonly<Record<string, string>>): void {
  if (namesBrokers(properties)) return;
  throw new HttpProblem(400, "The properties lack 'bootstrap.servers' (or 'metadata.broker.list')");
}

function subscriptionBody(subscription: Subscription, clusters: readonly KafkaCluster[]): SubscriptionBody {
  const { id, source, sink } = subscription;
  const cluster = clusters.find(({ name }) => name === parseSource(source).cluster);
  return { id, source, sink, options: withoutSecrets(consumerOptions(subscription, cluster)) };
}

function clusterBody({ name, properties, createdAtMs }: KafkaCluster): KafkaClusterBody {
  return { name, properties: withoutSecrets(properties), created_at: momentText(createdAtMs) };
}

function unknownCluster(name: string): HttpProblem {
  return new HttpProblem(404, `The requested Kafka cluster '${name}' does not exist`);
}

function unknownSubscription(id: SubscriptionId): HttpProblem {
  return new HttpProblem(404, `The requested subscription '${id}' does not exist`);
}

function subscriptionIdParam(asked: AdminRequest): SubscriptionId {
  const raw = pathParam(asked, "id");
  try {
    return parseSubscriptionId(raw);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    throw new PlainRefusal(
      400,
      `Invalid URL: Cannot parse \`subscription_id\` with value \`${raw}\`: ${error.message}`,
    );
  }
}
