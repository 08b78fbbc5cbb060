/** All subscriptions with their status; each opens to its partitions and options. */
import type { JSX } from "preact";
import type { SubscriptionBody, PartitionBody } from "../../../shared/api/contract/topics.ts";
import { route, setQuery } from "../../data/location.ts";
import { hrefTo } from "../../model/route.ts";
import { countText } from "../../model/size-text.ts";
import { lagOf, partsOf, SUBSCRIPTION_MEANING, subscriptionLook } from "../../model/topic-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import type { AskedChange } from "./subscription-dialogs.tsx";
import { Trouble } from "./trouble.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Age } from "../../parts/moment.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { Pairs } from "./pairs.tsx";

const NAME_CHARS = 48;

export interface SubscriptionTableProps {
  readonly subscriptions: readonly SubscriptionBody[];
  readonly onAsk: (change: AskedChange) => void;
}

export function SubscriptionTable({ subscriptions, onAsk }: SubscriptionTableProps): JSX.Element {
  return (
    <table class="plain deployments subscriptions">
      <TableHead
        columns={[
          "State",
          "Topic",
          "Handler",
          { words: "Lag", class: "right" },
          "Pause, last error",
          { words: "Changes", isHidden: true },
        ]}
      />
      <tbody>
        {subscriptions.map((one) => (
          <SubscriptionRow key={one.id} subscription={one} onAsk={onAsk} />
        ))}
      </tbody>
    </table>
  );
}

interface SubscriptionRowProps {
  readonly subscription: SubscriptionBody;
  readonly onAsk: (change: AskedChange) => void;
}

function SubscriptionRow({ subscription, onAsk }: SubscriptionRowProps): JSX.Element {
  const { id, source, sink, status } = subscription;
  const isOpen = route.value?.query.get("open") === id;
  const { word, glyph, tone } = subscriptionLook(status);
  const [cluster, topic] = partsOf(source);
  const [service, handler] = partsOf(sink);
  return (
    <>
      <tr>
        <td data-label="State">
          <span class={`status tone-${tone}`} title={SUBSCRIPTION_MEANING[status]}>
            <span class="glyph" aria-hidden="true">
              {glyph}
            </span>
            {word}
          </span>
        </td>
        <td data-label="Topic">
          <ForeignText text={topic} maxChars={NAME_CHARS} />
          <div class="dim">
            <ForeignText text={cluster} maxChars={NAME_CHARS} />
          </div>
        </td>
        <td data-label="Handler">
          <a href={hrefTo("services", [service], { handler })}>
            <ForeignText text={`${service}/${handler}`} maxChars={NAME_CHARS} />
          </a>
        </td>
        <td data-label="Lag" class="right">
          <span class="lag">
            <LagText subscription={subscription} />
            <button
              type="button"
              class="quiet"
              aria-expanded={isOpen}
              aria-label={`${isOpen ? "Hide partitions" : "Partitions"} of ${source}`}
              onClick={() => setQuery({ open: isOpen ? undefined : id })}
            >
              {isOpen ? "hide" : "partitions"}
            </button>
          </span>
        </td>
        <td data-label="Pause, error">
          <Trouble subscription={subscription} />
        </td>
        <td data-label="">
          <Changes subscription={subscription} onAsk={onAsk} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={6} class="opened">
            <SubscriptionDetail subscription={subscription} />
          </td>
        </tr>
      )}
    </>
  );
}

function LagText({ subscription }: { readonly subscription: SubscriptionBody }): JSX.Element {
  const lag = lagOf(subscription);
  if (lag === undefined) {
    return (
      <span class="dim" title="This server reads no partition of the topic now, so it does not know the topic's end.">
        unknown
      </span>
    );
  }
  const isWhole = lag.knownPartitions === lag.partitions;
  return (
    <span class="number" title={`Records that wait, in ${lag.knownPartitions} of ${lag.partitions} partitions`}>
      {isWhole ? "" : "≥ "}
      {countText(lag.records)}
    </span>
  );
}

function Changes({ subscription, onAsk }: SubscriptionRowProps): JSX.Element {
  const isPaused = subscription.pause !== undefined;
  const button = (kind: AskedChange["kind"], words: string): JSX.Element => (
    <button
      type="button"
      class="quiet"
      aria-label={`${words} ${subscription.source}`}
      onClick={() => onAsk({ kind, subscription })}
    >
      {words}
    </button>
  );
  return (
    <span class="changes">
      {isPaused ? button("resume", "Resume …") : button("pause", "Pause …")}
      {button("reset", "Reset …")}
      {button("delete", "Delete …")}
    </span>
  );
}

/** The partitions of a subscription with their positions, and its options. */
function SubscriptionDetail({ subscription }: { readonly subscription: SubscriptionBody }): JSX.Element {
  const { id, options, partitions } = subscription;
  return (
    <>
      {partitions.length === 0 ? (
        <p class="dim">No record was read yet, and this server reads no partition of the topic now.</p>
      ) : (
        <PartitionTable partitions={partitions} />
      )}
      <dl class="facts">
        <dt>Id</dt>
        <dd>
          <span class="mono">{id}</span> <CopyButton text={id} what="id" />
        </dd>
        <dt>Options</dt>
        <dd>
          <Pairs pairs={options} />
        </dd>
      </dl>
    </>
  );
}

function PartitionTable({ partitions }: { readonly partitions: readonly PartitionBody[] }): JSX.Element {
  return (
    <table class="plain partitions" aria-label="Partitions">
      <TableHead
        columns={[
          { words: "Partition", class: "right" },
          { words: "Lag", class: "right" },
          { words: "Next offset", class: "right" },
          { words: "Skipped", class: "right" },
          "Moved",
        ]}
      />
      <tbody>
        {partitions.map(({ partition, lag, next_offset: next, skipped, moved_at: moved }) => (
          <tr key={partition}>
            <td data-label="Partition" class="right number">
              {partition}
            </td>
            <td data-label="Lag" class="right number">
              {lag === undefined ? <span class="dim">unknown</span> : countText(lag)}
            </td>
            <td data-label="Next offset" class="right number">
              {countText(next)}
            </td>
            <td data-label="Skipped" class="right number">
              {countText(skipped)}
            </td>
            <td data-label="Moved">{moved === undefined ? <span class="dim">not yet</span> : <Age at={moved} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
