/** The partitions of a subscription with their positions, and its options. */
import type { JSX } from "preact";
import type { PartitionBody, SubscriptionBody } from "../../../shared/api/wire/admin.ts";
import { countText } from "../../model/size-text.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Age } from "../../parts/moment.tsx";
import { Pairs } from "./pairs.tsx";

export function SubscriptionDetail({ subscription }: { readonly subscription: SubscriptionBody }): JSX.Element {
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
      <thead>
        <tr>
          <th scope="col" class="right">
            Partition
          </th>
          <th scope="col" class="right">
            Lag
          </th>
          <th scope="col" class="right">
            Next offset
          </th>
          <th scope="col" class="right">
            Skipped
          </th>
          <th scope="col">Moved</th>
        </tr>
      </thead>
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
