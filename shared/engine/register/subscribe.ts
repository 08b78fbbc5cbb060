/** Creates and removes Kafka subscriptions; creates, changes and removes the clusters that they name. */
import { SUBSCRIPTION_ID_BYTES, subscriptionIdFromBytes, type SubscriptionId } from "../../core/model/ids.ts";
import {
  assertSource,
  invalid,
  parseSink,
  parseSource,
  subscriptionsOf,
  type KafkaCluster,
  type Subscription,
} from "../../core/registry/subscription.ts";
import { assertOwnOptions } from "../../core/topics/subscription-state.ts";
import type { Engine } from "../engine.ts";
import { changeKafka } from "./kafka-items.ts";

/** @throws CodedError META0009 if source or sink is invalid, the cluster not configured, or the handler not registered */
export async function subscribe(engine: Engine, asked: Omit<Subscription, "id">): Promise<Subscription> {
  parseSource(asked.source);
  assertOwnOptions(asked.options);
  const { service, handler } = parseSink(asked.sink);
  if (!(await engine.registry.route(service, handler)).found) {
    throw invalid(`the handler '${service}/${handler}' of the sink '${asked.sink}' is not registered`);
  }
  const subscription = { ...asked, id: subscriptionIdFromBytes(engine.ids.random(SUBSCRIPTION_ID_BYTES)) };
  await changeKafka(engine, ({ clusters }) => {
    assertSource(asked.source, clusters);
    return { kind: "subscription", subscription };
  });
  engine.log.write("subscription.created", {
    subscriptionId: subscription.id,
    source: asked.source,
    sink: asked.sink,
  });
  return subscription;
}

/** @returns false if there is no such subscription */
export async function unsubscribe(engine: Engine, id: SubscriptionId): Promise<boolean> {
  return await changeKafka(engine, ({ subscriptions }) =>
    subscriptions.some((one) => one.id === id) ? { kind: "no-subscription", id } : undefined,
  );
}

/** @returns undefined if a cluster has this name already */
export async function createKafkaCluster(
  engine: Engine,
  asked: Pick<KafkaCluster, "name" | "properties">,
): Promise<KafkaCluster | undefined> {
  const cluster = { ...asked, createdAtMs: engine.clock.nowMs() };
  const made = await changeKafka(engine, ({ clusters }) =>
    clusters.some(({ name }) => name === asked.name) ? undefined : { kind: "cluster", cluster },
  );
  return made ? cluster : undefined;
}

/**
 * Replaces the options of a subscription. Its reader then joins its consumer group again, under the new options.
 * @returns undefined if there is no such subscription
 * @throws CodedError META0009 if an option of Stepwell is invalid
 */
export async function changeOptions(
  engine: Engine,
  id: SubscriptionId,
  options: Subscription["options"],
): Promise<Subscription | undefined> {
  assertOwnOptions(options);
  let changed: Subscription | undefined;
  await changeKafka(engine, ({ subscriptions }) => {
    const standing = subscriptions.find((one) => one.id === id);
    changed = standing && { ...standing, options };
    return changed && { kind: "subscription", subscription: changed };
  });
  return changed;
}

export type ClusterUpdated =
  | { readonly kind: "updated"; readonly cluster: KafkaCluster }
  | { readonly kind: "unknown" }
  | { readonly kind: "configured" };

/** Replaces all properties of a cluster. */
export async function updateKafkaCluster(
  engine: Engine,
  name: string,
  properties: KafkaCluster["properties"],
): Promise<ClusterUpdated> {
  let outcome: ClusterUpdated = { kind: "unknown" };
  await changeKafka(engine, ({ clusters }) => {
    const standing = clusters.find((one) => one.name === name);
    if (standing === undefined) outcome = { kind: "unknown" };
    else if (standing.configured === true) outcome = { kind: "configured" };
    else outcome = { kind: "updated", cluster: { ...standing, properties } };
    return outcome.kind === "updated" ? { kind: "cluster", cluster: outcome.cluster } : undefined;
  });
  return outcome;
}

export type ClusterRemoved =
  | { readonly kind: "removed" }
  | { readonly kind: "unknown" }
  | { readonly kind: "configured" }
  | { readonly kind: "in-use"; readonly subscriptions: readonly Subscription[] };

/**
 * @param force removes the cluster even if subscriptions use it. These stay, and read nothing until a cluster has this name
 *   again
 */
export async function removeKafkaCluster(engine: Engine, name: string, force: boolean): Promise<ClusterRemoved> {
  let outcome: ClusterRemoved = { kind: "unknown" };
  await changeKafka(engine, ({ clusters, subscriptions }) => {
    const users = subscriptionsOf(name, subscriptions);
    const standing = clusters.find((one) => one.name === name);
    if (standing === undefined) outcome = { kind: "unknown" };
    else if (standing.configured === true) outcome = { kind: "configured" };
    else if (users.length > 0 && !force) outcome = { kind: "in-use", subscriptions: users };
    else outcome = { kind: "removed" };
    return outcome.kind === "removed" ? { kind: "no-cluster", name } : undefined;
  });
  return outcome;
}
