/** The clusters that subscriptions read from, with their properties. */
import type { JSX } from "preact";
import type { KafkaClusterBody, SubscriptionBody } from "../../../shared/api/wire/admin.ts";
import { countText } from "../../model/size-text.ts";
import { brokersOf, partsOf } from "../../model/topic-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Age } from "../../parts/moment.tsx";
import { Pairs } from "./pairs.tsx";

export interface ClusterTableProps {
  readonly clusters: readonly KafkaClusterBody[];
  readonly subscriptions: readonly SubscriptionBody[];
}

export function ClusterTable({ clusters, subscriptions }: ClusterTableProps): JSX.Element {
  return (
    <section class="block">
      <h2>
        Clusters <span class="dim number">{countText(clusters.length)}</span>
      </h2>
      <table class="plain deployments">
        <thead>
          <tr>
            <th scope="col">Cluster</th>
            <th scope="col">Brokers</th>
            <th scope="col">Properties</th>
            <th scope="col" class="right">
              Subscriptions
            </th>
            <th scope="col">Added</th>
          </tr>
        </thead>
        <tbody>
          {clusters.map((cluster) => (
            <ClusterRow key={cluster.name} cluster={cluster} users={usersOf(cluster, subscriptions)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function usersOf({ name }: KafkaClusterBody, subscriptions: readonly SubscriptionBody[]): number {
  return subscriptions.filter(({ source }) => partsOf(source)[0] === name).length;
}

function ClusterRow({ cluster, users }: { readonly cluster: KafkaClusterBody; readonly users: number }): JSX.Element {
  const { name, properties, created_at: at, info } = cluster;
  const brokers = brokersOf(cluster);
  return (
    <tr>
      <td data-label="Cluster">
        <ForeignText text={name} maxChars={60} />
      </td>
      <td data-label="Brokers">
        {brokers === undefined ? (
          <span class="dim">none named</span>
        ) : (
          <ForeignText text={brokers} maxChars={100} class="mono" />
        )}
      </td>
      <td data-label="Properties">
        <details>
          <summary>{countText(Object.keys(properties).length)}</summary>
          <Pairs pairs={properties} />
        </details>
      </td>
      <td data-label="Subscriptions" class="right">
        <span class="number">{countText(users)}</span>
      </td>
      <td data-label="Added">
        {info === undefined ? (
          <Age at={at} />
        ) : (
          <span class="dim" title={info.map(({ message }) => message).join(" ")}>
            by the configuration
          </span>
        )}
      </td>
    </tr>
  );
}
