/** The page of topics: the subscriptions that let records invoke handlers, and the clusters that they read from. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useShortcuts } from "../../data/shortcuts.ts";
import { useTopics, type Topics } from "../../data/topics.ts";
import { countText } from "../../model/size-text.ts";
import { LoadedView, Empty } from "../../parts/states.tsx";
import { SubscribeDialog, SubscriptionDialog, type AskedChange } from "./subscription-dialogs.tsx";
import { SubscriptionTable } from "./subscription-table.tsx";
import type { KafkaClusterBody, SubscriptionBody } from "../../../shared/api/contract/topics.ts";
import { brokersOf, partsOf } from "../../model/topic-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Age } from "../../parts/moment.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { Pairs } from "./pairs.tsx";
import { readsHaveAPrice } from "../../data/api.ts";

export function TopicsPage(): JSX.Element {
  const topics = useTopics();
  const [isSubscribing, setSubscribing] = useState(false);
  const [asked, setAsked] = useState<AskedChange>();
  const { value } = topics.state.value;
  const hasClusters = (value?.clusters.length ?? 0) > 0;
  useShortcuts(
    useMemo(
      () => [
        ...(hasClusters ? [{ keys: "n", words: "Subscribe a handler", run: () => setSubscribing(true) }] : []),
        { keys: "r", words: "Refresh", run: () => void topics.refresh() },
      ],
      [topics, hasClusters],
    ),
  );
  const refresh = (): void => void topics.refresh();
  return (
    <>
      <div class="bar">
        <h1>Topics {value !== undefined && <span class="dim number">{countText(value.subscriptions.length)}</span>}</h1>
        {hasClusters && (
          <button type="button" class="primary" onClick={() => setSubscribing(true)}>
            Subscribe a handler
          </button>
        )}
      </div>
      <LoadedView loaded={topics.state.value} onRetry={refresh}>
        {(all) => <AllTopics topics={all} onAsk={setAsked} />}
      </LoadedView>
      {isSubscribing && value !== undefined && (
        <SubscribeDialog clusters={value.clusters} onDone={refresh} onClose={() => setSubscribing(false)} />
      )}
      {asked !== undefined && <SubscriptionDialog asked={asked} onDone={refresh} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface AllTopicsProps {
  readonly topics: Topics;
  readonly onAsk: (change: AskedChange) => void;
}

/** Subscriptions may exist without a cluster, because a forced removal of a cluster keeps its subscriptions. */
function AllTopics({ topics: { clusters, subscriptions }, onAsk }: AllTopicsProps): JSX.Element {
  return (
    <>
      {subscriptions.length > 0 && <SubscriptionTable subscriptions={subscriptions} onAsk={onAsk} />}
      {subscriptions.length === 0 && clusters.length > 0 && <NoSubscriptions cluster={clusters[0]!.name} />}
      {clusters.length === 0 ? <NoClusters /> : <ClusterTable clusters={clusters} subscriptions={subscriptions} />}
    </>
  );
}

/** The clusters that subscriptions read from, with their properties. */
interface ClusterTableProps {
  readonly clusters: readonly KafkaClusterBody[];
  readonly subscriptions: readonly SubscriptionBody[];
}

function ClusterTable({ clusters, subscriptions }: ClusterTableProps): JSX.Element {
  return (
    <section class="block">
      <h2>
        Clusters <span class="dim number">{countText(clusters.length)}</span>
      </h2>
      <table class="plain deployments">
        <TableHead
          columns={["Cluster", "Brokers", "Properties", { words: "Subscriptions", class: "right" }, "Added"]}
        />
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

/** The next steps if no cluster is configured, or if no subscription reads from a cluster. */
function NoClusters(): JSX.Element {
  return (
    <Empty>
      <h2>No Kafka cluster is configured</h2>
      {readsHaveAPrice.value ? (
        <p>
          Name the cluster in <code>kafkaClusters</code> of the construct <code>Stepwell</code>, and deploy the stack.
          Its topics can then invoke handlers.
        </p>
      ) : (
        <p>
          Add one with <code>POST /kafka-clusters</code>, or with
          <br />
          <code>stepwell kafka-clusters create main --property bootstrap.servers=broker:9092</code>
          <br />
          or as a table <code>[[ingress.kafka-clusters]]</code> of the configuration. Its topics can then invoke
          handlers.
        </p>
      )}
    </Empty>
  );
}

function NoSubscriptions({ cluster }: { readonly cluster: string }): JSX.Element {
  return (
    <Empty>
      <h2>No handler is subscribed to a topic</h2>
      <p>
        A subscription lets each record of a topic invoke a handler. Subscribe one here, or with
        <br />
        <code>stepwell subscriptions create kafka://{cluster}/orders service://Orders/take</code>
      </p>
    </Empty>
  );
}
