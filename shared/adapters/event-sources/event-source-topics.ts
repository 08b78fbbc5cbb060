/** Topics on AWS: Lambda itself reads each topic, by one event source mapping for each subscription. */
import { ResourceConflictException, type EventSourceMappingConfiguration } from "@aws-sdk/client-lambda";
import type { SubscriptionId } from "../../core/model/ids.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { ConsumedSubscription, PartitionLag, RecordSink, Topics } from "../../engine/ports/topics.ts";
import { aliasOf, mappingForm, subscriptionOfAlias, type MappingForm } from "./mapping-form.ts";
import type { Mappings } from "./mappings.ts";

/** A mapping in one of these states refuses changes; the next round of `follow` changes it. */
const CHANGING: ReadonlySet<string> = new Set(["Creating", "Enabling", "Disabling", "Updating", "Deleting"]);
/** Mappings of removed subscriptions get only this share of a round, so that time remains for the mappings that stay. */
const ENDS_SHARE = 0.5;
/** Lambda writes this word before the reason when it cannot read a topic. */
const PROBLEM = /^PROBLEM:\s?/;

/**
 * Every call of `follow` compares all mappings with the subscriptions, because Lambda takes minutes to create or to
 * delete a mapping. The mappings deliver to the topics function, so the sink receives only problems.
 */
export class EventSourceTopics implements Topics {
  readonly #mappings: Mappings;
  readonly #clock: Pick<Clock, "nowMs">;

  constructor(mappings: Mappings, clock: Pick<Clock, "nowMs">) {
    this.#mappings = mappings;
    this.#clock = clock;
  }

  async follow(wanted: readonly ConsumedSubscription[], sink: RecordSink, untilMs = Infinity): Promise<number> {
    const beganMs = this.#clock.nowMs();
    const aliases = await this.#mappings.aliases();
    const wantedAliases = new Set(wanted.map(aliasOf));
    await this.#endOthers(aliases, wantedAliases, sink, beganMs + (untilMs - beganMs) * ENDS_SHARE);
    let followed = 0;
    for (const consumption of wanted) {
      if (followed > 0 && this.#clock.nowMs() >= untilMs) break;
      const alias = aliasOf(consumption);
      await noteProblem(sink, consumption.subscription.id, async () => {
        if (!aliases.includes(alias)) await this.#mappings.createAlias(alias);
        return await this.#followOne(alias, mappingForm(consumption));
      });
      followed++;
    }
    return followed;
  }

  /** Always empty, because Lambda reports the lag of a mapping only as a metric. */
  async lag(): Promise<readonly PartitionLag[]> {
    return [];
  }

  /** The mappings belong to the environment, not to this process. */
  async close(): Promise<void> {}

  async #endOthers(
    aliases: readonly string[],
    wanted: ReadonlySet<string>,
    sink: RecordSink,
    untilMs: number,
  ): Promise<void> {
    for (const alias of aliases) {
      const former = subscriptionOfAlias(alias);
      if (former === undefined || wanted.has(alias)) continue;
      if (this.#clock.nowMs() >= untilMs) return;
      await noteProblem(sink, former.id as SubscriptionId, () => this.#end(alias));
    }
  }

  /** @returns why Lambda does not read the topic; undefined if Lambda reads it, or if the mapping is about to change */
  async #followOne(alias: string, form: MappingForm): Promise<string | undefined> {
    const [mapping, ...surplus] = await this.#mappings.of(alias);
    for (const one of surplus) await this.#remove(one);
    if (mapping === undefined) return await this.#create(alias, form);
    if (CHANGING.has(mapping.State ?? "")) return undefined;
    if (!isSameSource(mapping, form)) {
      await this.#remove(mapping);
      return undefined;
    }
    const isEnabled = mapping.State === "Enabled";
    if (
      isEnabled !== form.isEnabled ||
      accessText(mapping) !== accessText({ SourceAccessConfigurations: form.access })
    ) {
      await this.#mappings.update(mapping.UUID!, form);
      return undefined;
    }
    const result = mapping.LastProcessingResult ?? "";
    return form.isEnabled && PROBLEM.test(result) ? result.replace(PROBLEM, "") : undefined;
  }

  /**
   * @returns the text of a conflict; undefined if this call created the mapping, or if the conflicting mapping belongs to this
   * alias: another process has just created it then
   */
  async #create(alias: string, form: MappingForm): Promise<string | undefined> {
    try {
      await this.#mappings.create(alias, form);
    } catch (error) {
      if (!(error instanceof ResourceConflictException)) throw error;
      const [other] = await this.#mappings.of(alias);
      return other === undefined ? conflictText(form, error) : undefined;
    }
    return undefined;
  }

  /** Lambda deletes mappings in the background, so a later call deletes the alias, once no mapping is left. */
  async #end(alias: string): Promise<undefined> {
    const mappings = await this.#mappings.of(alias);
    for (const one of mappings) await this.#remove(one);
    if (mappings.length === 0) await this.#mappings.deleteAlias(alias);
  }

  async #remove({ UUID: id, State: state }: EventSourceMappingConfiguration): Promise<void> {
    if (!CHANGING.has(state ?? "")) await this.#mappings.delete(id!);
  }
}

/**
 * Notes a failure with its subscription, so that the round goes on with the others.
 * @param work returns the problem, if there is one
 */
async function noteProblem(
  sink: RecordSink,
  id: SubscriptionId,
  work: () => Promise<string | undefined>,
): Promise<void> {
  const problem = await work().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  if (problem !== undefined) await sink.failed(id, problem);
}

/**
 * Does not compare the starting position: Lambda uses it only for a new mapping, so a mapping stays when only its starting
 * position changes.
 */
function isSameSource(mapping: EventSourceMappingConfiguration, { fixed }: MappingForm): boolean {
  const brokers = (one: MappingForm["fixed"]): string =>
    (one.SelfManagedEventSource?.Endpoints?.KAFKA_BOOTSTRAP_SERVERS ?? []).toSorted().join(",");
  return (
    mapping.EventSourceArn === fixed.EventSourceArn &&
    brokers(mapping) === brokers(fixed) &&
    groupIn(mapping) === groupIn(fixed) &&
    mapping.Topics?.[0] === fixed.Topics?.[0]
  );
}

function groupIn(one: MappingForm["fixed"]): string | undefined {
  return (
    one.SelfManagedKafkaEventSourceConfig?.ConsumerGroupId ?? one.AmazonManagedKafkaEventSourceConfig?.ConsumerGroupId
  );
}

function conflictText({ fixed }: MappingForm, { message }: Error): string {
  return (
    `Lambda makes no event source mapping for the topic '${fixed.Topics?.[0]}' with the group '${groupIn(fixed)}', ` +
    `because another mapping conflicts with it (${message}): end that mapping, or give this subscription another group.id`
  );
}

function accessText({ SourceAccessConfigurations: access = [] }: EventSourceMappingConfiguration): string {
  return access
    .map(({ Type: type, URI: uri }) => `${type}=${uri}`)
    .toSorted()
    .join(" ");
}
