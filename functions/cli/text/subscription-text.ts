/** A subscription as text: its source and sink, its status, and how far it has read. */
import type { SubscriptionBody } from "../../../shared/api/contract/topics.ts";
import { momentText } from "./moment.ts";
import { pairsText, tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { foreignLine } from "./visible-text.ts";

export function subscriptionText(colours: Colours, body: SubscriptionBody): string {
  const { pause, last_error: error } = body;
  const facts = pairsText(colours, [
    ["Subscription", body.id],
    ["Source", body.source],
    ["Sink", body.sink],
    ["Status", body.status],
    ["Paused", pause && `${pauseReason(pause)}, ${momentText(pause.at)}`],
    ["Last error", error && `${momentText(error.at)}: ${foreignLine(error.message)}`],
    ["Lag", lagOf(body)],
    [
      "Options",
      Object.entries(body.options)
        .map(([name, value]) => `${name}=${value}`)
        .join(", "),
    ],
  ]);
  if (body.partitions.length === 0) return facts;
  const rows = body.partitions.map(({ partition, next_offset, lag, skipped, moved_at }) => [
    String(partition),
    String(next_offset),
    lag === undefined ? "not known" : String(lag),
    String(skipped),
    moved_at === undefined ? "" : momentText(moved_at),
  ]);
  return `${facts}\n\n${tableText(colours, ["PARTITION", "NEXT OFFSET", "LAG", "SKIPPED", "MOVED"], rows)}`;
}

/** The sum of the lags of the partitions that the server reads. */
export function lagOf({ partitions }: SubscriptionBody): string {
  const known = partitions.flatMap(({ lag }) => (lag === undefined ? [] : [lag]));
  return known.length === 0 ? "not known" : String(known.reduce((sum, lag) => sum + lag, 0));
}

function pauseReason(pause: NonNullable<SubscriptionBody["pause"]>): string {
  if (pause.reason === "order") return pause.by === undefined ? "by an operator" : `by ${foreignLine(pause.by)}`;
  return `before the record at partition ${pause.partition}, offset ${pause.offset}: ${pause.detail}`;
}
