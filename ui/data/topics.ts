/** Kafka clusters and subscriptions, and changes of them. */
import type { KafkaClusterBody, SubscriptionBody } from "../../shared/api/contract/topics.ts";
import { ask } from "./api.ts";
import { usePolled, type Polled } from "./polled.ts";

export interface Topics {
  readonly clusters: readonly KafkaClusterBody[];
  /** Ordered by source, so that a row stays where it is. */
  readonly subscriptions: readonly SubscriptionBody[];
}

export function useTopics(): Polled<Topics> {
  return usePolled("topics", async (signal) => {
    const [{ clusters }, { subscriptions }] = await Promise.all([
      ask<{ clusters: readonly KafkaClusterBody[] }>("kafka-clusters", { signal }),
      ask<{ subscriptions: readonly SubscriptionBody[] }>("subscriptions", { signal }),
    ]);
    return {
      clusters: clusters.toSorted((a, b) => a.name.localeCompare(b.name)),
      subscriptions: subscriptions.toSorted((a, b) => a.source.localeCompare(b.source) || a.id.localeCompare(b.id)),
    };
  });
}

/** @throws ApiProblem META0009 if the subscription is not valid */
export async function createSubscription(body: unknown): Promise<SubscriptionBody> {
  return await ask<SubscriptionBody>("subscriptions", { method: "POST", body });
}

/** @throws ApiProblem */
export async function changeSubscription(id: string, body: unknown): Promise<SubscriptionBody> {
  return await ask<SubscriptionBody>(pathOf(id), { method: "PATCH", body });
}

/** @throws ApiProblem */
export async function deleteSubscription(id: string): Promise<void> {
  await ask(pathOf(id), { method: "DELETE" });
}

function pathOf(id: string): string {
  return `subscriptions/${encodeURIComponent(id)}`;
}
