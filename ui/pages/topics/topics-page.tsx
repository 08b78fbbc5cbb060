/** The page of topics: the subscriptions that let records invoke handlers, and the clusters that they read from. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useShortcuts } from "../../data/shortcuts.ts";
import type { Topics } from "../../data/topics.ts";
import { useTopics } from "../../data/topics.ts";
import { countText } from "../../model/size-text.ts";
import { LoadedView } from "../../parts/states.tsx";
import { ClusterTable } from "./cluster-table.tsx";
import { NoClusters, NoSubscriptions } from "./empty-topics.tsx";
import { SubscribeDialog } from "./subscribe-dialog.tsx";
import { SubscriptionDialog } from "./subscription-dialogs.tsx";
import type { AskedChange } from "./subscription-dialogs.tsx";
import { SubscriptionTable } from "./subscription-table.tsx";

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
