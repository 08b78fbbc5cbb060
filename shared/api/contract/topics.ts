/** Kafka clusters and subscriptions: their requests and answers. */
import * as z from "zod";
import { type Answer, maybeText, moment, optional, queryFlag, text, texts, whole } from "./members.ts";
import { notice } from "./services.ts";

const uri = z.string().refine((given) => /^[a-z][a-z0-9+.-]*:/i.test(given) && !/\s/.test(given), "expected a URI");

export const CreateSubscription = z
  .object({
    source: uri.describe("kafka://<cluster>/<topic>, the cluster being a configured one."),
    sink: uri.describe("service://<service>/<handler>, both registered."),
    options: optional(texts).describe("Properties of the consumer, which win over those of the cluster."),
  })
  .meta({ id: "CreateSubscription" });

const offset = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const momentMs = z.iso.datetime({ offset: true }).transform((given) => Date.parse(given));

const resetTarget = z.union([
  z.object({ to: z.enum(["earliest", "latest"]) }).transform(({ to }) => ({ kind: to })),
  z.object({ time: momentMs }).transform(({ time }) => ({ kind: "time" as const, atMs: time })),
  z
    .object({ offsets: z.record(z.string().regex(/^\d{1,7}$/), offset) })
    .refine(({ offsets }) => Object.keys(offsets).length > 0, "expected at least one partition")
    .transform(({ offsets }) => ({ kind: "offsets" as const, offsets })),
]);

export const ChangeSubscription = z
  .object({
    paused: optional(z.boolean()).describe("True pauses the subscription; false resumes it."),
    options: optional(texts).describe("Replaces the options; the subscription begins again with its group."),
    reset: optional(resetTarget).describe(
      "Reads again from `to` (earliest or latest), from `time` (a moment), or from `offsets` (by partition). Records that are read again invoke their handlers again.",
    ),
  })
  .refine(({ paused, options, reset }) => [paused, options, reset].some((one) => one !== undefined), {
    message: "expected at least one of paused, options and reset",
  })
  .meta({ id: "ChangeSubscription" });

export const ListSubscriptionsQuery = z.object({
  sink: z.string().optional().describe("Only those with exactly this sink."),
  source: z.string().optional().describe("Only those with exactly this source."),
});

/** Why a subscription is paused. For the reason `bad-record`, the members that describe the record are present. */
const subscriptionPause = z.object({
  reason: z.enum(["order", "bad-record"]),
  at: moment,
  by: maybeText,
  partition: whole.exactOptional(),
  offset: whole.exactOptional(),
  bad_record: maybeText,
  detail: maybeText,
});
export type SubscriptionPauseBody = Answer<typeof subscriptionPause>;

const partition = z.object({
  partition: whole,
  /** Every record before this offset is accepted or skipped. */
  next_offset: whole,
  /** The number of records that wait at the broker; absent if this server does not read the partition. */
  lag: whole.exactOptional(),
  /** The number of records that the policy of the subscription passed over. */
  skipped: whole,
  moved_at: moment.exactOptional(),
});
export type PartitionBody = Answer<typeof partition>;

export const SubscriptionBody = z
  .object({
    id: text,
    source: text,
    sink: text,
    /** Options whose names suggest a secret are masked. */
    options: texts,
    status: z.enum(["consuming", "failing", "paused", "no-cluster"]),
    pause: subscriptionPause.exactOptional(),
    last_error: z.object({ at: moment, message: text, partition: whole.exactOptional() }).exactOptional(),
    partitions: z.array(partition),
  })
  .meta({ id: "Subscription" });
export type SubscriptionBody = Answer<typeof SubscriptionBody>;
export const Subscriptions = z.object({ subscriptions: z.array(SubscriptionBody) }).meta({ id: "Subscriptions" });

const properties = texts.describe("Properties of the clients of this cluster; bootstrap.servers is needed.");

export const CreateKafkaCluster = z
  .object({
    name: z
      .string()
      .regex(
        /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i,
        "expected a name as hosts have: letters, digits, '.' and '-'",
      ),
    properties,
  })
  .meta({ id: "CreateKafkaCluster" });

export const UpdateKafkaCluster = z.object({ properties }).meta({ id: "UpdateKafkaCluster" });

export const RemoveKafkaClusterQuery = z.object({
  force: queryFlag("Removes it also where subscriptions use it."),
});

export const ShowKafkaClusterQuery = z.object({
  include_subscriptions: queryFlag("Shows the subscriptions that use the cluster."),
});

export const KafkaClusterBody = z
  .object({
    name: text,
    properties: texts,
    created_at: moment,
    /** Present for a cluster of the configuration file, which the admin API cannot change. */
    info: z.array(notice).exactOptional(),
    subscriptions: z.array(SubscriptionBody).exactOptional(),
  })
  .meta({ id: "KafkaCluster" });
export type KafkaClusterBody = Answer<typeof KafkaClusterBody>;
export const KafkaClusters = z.object({ clusters: z.array(KafkaClusterBody) }).meta({ id: "KafkaClusters" });
