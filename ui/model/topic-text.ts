/** Words for subscriptions and Kafka clusters. */
import type { KafkaClusterBody, SubscriptionBody, SubscriptionPauseBody } from "../../shared/api/contract/topics.ts";
import type { Look } from "./status-look.ts";

type Status = SubscriptionBody["status"];

const LOOKS: Readonly<Record<Status, Look>> = {
  consuming: { word: "consuming", glyph: "▶", tone: "running" },
  failing: { word: "failing", glyph: "✕", tone: "failed" },
  paused: { word: "paused", glyph: "‖", tone: "paused" },
  "no-cluster": { word: "no cluster", glyph: "⊘", tone: "failed" },
};

export function subscriptionLook(status: Status): Look {
  return LOOKS[status] ?? { word: status, glyph: "○", tone: "waiting" };
}

/** The meaning of each status. */
export const SUBSCRIPTION_MEANING: Readonly<Record<Status, string>> = {
  consuming: "Records are read as they come.",
  failing: "Nothing was read since the last error. The server tries again by itself.",
  paused: "Nothing is read until the subscription is resumed.",
  "no-cluster": "No cluster has the name that the source names, so nothing is read.",
};

/** @returns the cluster and the topic of `kafka://<cluster>/<topic>`, or the service and the handler of a sink */
export function partsOf(address: string): readonly [first: string, second: string] {
  const path = address.replace(/^[^:]*:\/\//, "");
  const at = path.indexOf("/");
  return at === -1 ? [path, ""] : [path.slice(0, at), path.slice(at + 1)];
}

export interface Lag {
  /** The sum of the lags, over the partitions whose lag is known. */
  readonly records: number;
  readonly knownPartitions: number;
  readonly partitions: number;
}

/** @returns undefined if the lag of no partition is known */
export function lagOf({ partitions }: Pick<SubscriptionBody, "partitions">): Lag | undefined {
  const known = partitions.flatMap(({ lag }) => (lag === undefined ? [] : [lag]));
  if (known.length === 0) return undefined;
  const records = known.reduce((sum, lag) => sum + lag, 0);
  return { records, knownPartitions: known.length, partitions: partitions.length };
}

const BAD_RECORDS: Readonly<Record<string, string>> = {
  "value-too-large": "its value is too large",
  "key-too-large": "its key is too large",
  "key-not-utf8": "its key is not UTF-8",
};

/** The fault of the record before which the subscription stopped. */
export function badRecordText({ bad_record: bad = "", detail }: SubscriptionPauseBody): string {
  return detail ?? BAD_RECORDS[bad] ?? bad;
}

/** The partition of the bad record that paused the subscription, and the offset after that record; undefined without one. */
export function behindBadRecord(
  pause: SubscriptionPauseBody | undefined,
): { readonly partition: number; readonly offset: number } | undefined {
  if (pause?.partition === undefined || pause.offset === undefined) return undefined;
  return { partition: pause.partition, offset: pause.offset + 1 };
}

const BROKERS = ["bootstrap.servers", "metadata.broker.list", "aws.msk-cluster-arn"];

/** The addresses of the first brokers; undefined if the properties name none. */
export function brokersOf({ properties }: KafkaClusterBody): string | undefined {
  return BROKERS.map((name) => properties[name]).find((value) => value !== undefined && value !== "");
}
