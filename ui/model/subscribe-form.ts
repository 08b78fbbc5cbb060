/** The forms that create a subscription and reset one, and the requests that they make. */
import type { SubscriptionPauseBody } from "../../shared/api/contract/topics.ts";
import { recordOf, type Pair } from "./register-form.ts";
import { behindBadRecord } from "./topic-text.ts";

export interface SubscribeForm {
  readonly cluster: string;
  readonly topic: string;
  readonly service: string;
  readonly handler: string;
  /** True if a new consumer group begins with the records that the topic already contains. */
  readonly fromEarliest: boolean;
  readonly skipsBadRecords: boolean;
  readonly options: readonly Pair[];
}

/** The server checks the names and the options; the form only refuses to send an incomplete request. */
export function missingIn({ cluster, topic, service, options }: SubscribeForm): string | undefined {
  if (cluster === "") return "Choose a cluster.";
  if (topic.trim() === "") return "Name the topic.";
  if (service === "") return "Choose a handler.";
  const isNameless = options.some(({ name, value }) => name.trim() === "" && value !== "");
  return isNameless ? "Each value of an option needs a name." : undefined;
}

/** An option that the reader enters by name wins over a choice of the form that sets the same option. */
export function subscribeBody({ cluster, topic, service, handler, ...form }: SubscribeForm) {
  return {
    source: `kafka://${cluster}/${topic.trim()}`,
    sink: `service://${service}/${handler}`,
    options: {
      ...(form.fromEarliest && { "auto.offset.reset": "earliest" }),
      ...(form.skipsBadRecords && { "stepwell.bad-records": "skip" }),
      ...recordOf(form.options),
    },
  };
}

export type ResetPlace = "earliest" | "latest" | "time" | "behind";

export interface ResetForm {
  readonly place: ResetPlace;
  /** As the field of the browser writes it: `2026-01-31T10:00`, without a zone. */
  readonly moment: string;
}

/**
 * Returns the member `reset` of the request that changes the subscription. Returns undefined if `place` is `time` and the moment
 * is missing or invalid, or if `place` is `behind` and no bad record has paused the subscription.
 * @param pause the pause of the subscription; the place `behind` is the offset after the bad record
 */
export function resetTarget(
  { place, moment }: ResetForm,
  pause: SubscriptionPauseBody | undefined,
  isUtc: boolean,
): Readonly<Record<string, unknown>> | undefined {
  if (place === "earliest" || place === "latest") return { to: place };
  if (place === "behind") {
    const behind = behindBadRecord(pause);
    return behind && { offsets: { [behind.partition]: behind.offset } };
  }
  const ms = Date.parse(isUtc ? `${moment}Z` : moment);
  return moment === "" || Number.isNaN(ms) ? undefined : { time: new Date(ms).toISOString() };
}
