/** Topics on AWS: Lambda itself reads each topic, by one event source mapping for each subscription. */
import { ResourceConflictException, type EventSourceMappingConfiguration } from "@aws-sdk/client-lambda";
import type { Consumption, PartitionLag, RecordSink, Topics } from "../../engine/ports/topics.ts";
import type { MappingForm } from "./mapping-form.ts";
import { aliasOf, mappingForm, subscriptionOfAlias } from "./mapping-form.ts";
import type { Mappings } from "./mappings.ts";

/** A mapping in one of these states refuses changes; the next round of `follow` changes it. */
const CHANGING: ReadonlySet<string> = new Set(["Creating", "Enabling", "Disabling", "Updating", "Deleting"]);
/** Lambda writes this word before the reason when it cannot read a topic. */
const PROBLEM = /^PROBLEM:\s?/;

/**
 * Every call of `follow` compares all mappings with the subscriptions, because Lambda makes and ends mappings over minutes.
 * The mappings deliver to the function of topics, so the sink only learns of problems.
 */
export class EventSourceTopics implements Topics {
  readonly #mappings: Mappings;

  constructor(mappings: Mappings) {
    this.#mappings = mappings;
  }

  async follow(wanted: readonly Consumption[], sink: RecordSink): Promise<void> {
    const byAlias = new Map(wanted.map((one) => [aliasOf(one), one]));
    const aliases = await this.#mappings.aliases();
    for (const alias of aliases) {
      if (subscriptionOfAlias(alias) !== undefined && !byAlias.has(alias)) await this.#end(alias);
    }
    for (const [alias, consumption] of byAlias) {
      try {
        if (!aliases.includes(alias)) await this.#mappings.createAlias(alias);
        const problem = await this.#followOne(alias, mappingForm(consumption));
        if (problem !== undefined) await sink.failed(consumption.subscription.id, problem);
      } catch (error) {
        await sink.failed(consumption.subscription.id, error instanceof Error ? error.message : String(error));
      }
    }
  }

  /** Lambda reports the lag of a mapping as a metric alone. */
  async lag(): Promise<readonly PartitionLag[]> {
    return [];
  }

  /** The mappings belong to the environment, not to this process. */
  async close(): Promise<void> {}

  /** @returns why the topic is not read; undefined if it is, or if the mapping is about to change */
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

  /** @returns the conflict, if it is not with a mapping that another process has made for this alias since the list was read */
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

  /** The alias goes once its mappings have gone, which Lambda does in the background. */
  async #end(alias: string): Promise<void> {
    const mappings = await this.#mappings.of(alias);
    for (const one of mappings) await this.#remove(one);
    if (mappings.length === 0) await this.#mappings.deleteAlias(alias);
  }

  async #remove({ UUID: id, State: state }: EventSourceMappingConfiguration): Promise<void> {
    if (!CHANGING.has(state ?? "")) await this.#mappings.delete(id!);
  }
}

/** The starting position counts only at the beginning, so a later change of it makes no other mapping. */
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
    `because another mapping is in its way (${message}): end that mapping, or give this subscription another group.id`
  );
}

function accessText({ SourceAccessConfigurations: access = [] }: EventSourceMappingConfiguration): string {
  return access
    .map(({ Type: type, URI: uri }) => `${type}=${uri}`)
    .toSorted()
    .join(" ");
}
