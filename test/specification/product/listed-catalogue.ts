/** Reads the lists of deployments, clusters and subscriptions, and translates them into the words of the specification. */
import { revisionsText } from "../model/deploying.ts";
import { subscriptionText } from "../model/observe.ts";
import type { Ledger } from "./ledger.ts";

interface ListedDeployment {
  readonly id: string;
  readonly uri: string;
  readonly services: readonly { readonly name: string; readonly revision: number }[];
  readonly status: string;
  readonly pinned_invocations?: number;
}

interface ListedSubscription {
  readonly id: string;
  readonly source: string;
  readonly sink: string;
  readonly pause?: object;
}

/** @param read the text of the list at a path of the admin API */
export async function catalogueOf(
  read: (path: string) => Promise<string>,
  ledger: Ledger,
): Promise<Record<string, string>> {
  const { deployments } = JSON.parse(await read("/deployments")) as { deployments: ListedDeployment[] };
  const { clusters } = JSON.parse(await read("/kafka-clusters")) as { clusters: { name: string }[] };
  const { subscriptions } = JSON.parse(await read("/subscriptions")) as { subscriptions: ListedSubscription[] };
  const seen: Record<string, string> = {};
  for (const { id, uri, services, status, pinned_invocations: pinned = 0 } of deployments) {
    const revisions = Object.fromEntries(services.map(({ name, revision }) => [name, revision]));
    const told = `${uri} ${revisionsText(revisions)} ${status}${pinned > 0 ? ` ${pinned}` : ""}`;
    seen[`registered ${ledger.deploymentName(id)}`] = told;
  }
  for (const { name } of clusters) seen[`cluster ${name}`] = "there";
  for (const { id, source, sink, pause } of subscriptions)
    seen[`subscription ${ledger.subscriptionName(id)}`] = subscriptionText({
      source,
      sink,
      isHeld: pause !== undefined,
    });
  return seen;
}
