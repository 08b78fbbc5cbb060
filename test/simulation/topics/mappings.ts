/** Event source mappings in memory: Lambda makes, changes and deletes them late, and delivers a batch until it is accepted. */
import type { EventSourceMappingConfiguration } from "@aws-sdk/client-lambda";
import type { MappingForm } from "../../../shared/adapters/event-sources/mapping-form.ts";
import type { Mappings } from "../../../shared/adapters/event-sources/mappings.ts";
import type { KafkaEvent } from "../../../shared/wiring/deliver-records.ts";
import type { Mortal } from "../seeds/mortal.ts";
import type { Random } from "../random.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Broker, Stored } from "./broker.ts";

const CHANGE_MAX_MS = 10_000;
const RECORDS_MAX = 6;
const POLL_MS = 1_000;
const AGAIN_MAX_MS = 5_000;
const DOUBLED_SHARE = 0.05;
const STALE_SHARE = 0.05;

interface Mapping {
  readonly uuid: string;
  readonly alias: string;
  form: MappingForm;
  state: "Creating" | "Enabled" | "Enabling" | "Disabled" | "Disabling" | "Deleting" | "gone";
}

export interface Lambda {
  readonly broker: Broker;
  readonly clock: VirtualClock;
  readonly random: Random;
  /** Calls the function in a living process. @throws if the event is not accepted */
  readonly deliver: (event: KafkaEvent, calledArn: string) => Promise<void>;
  readonly onLatest: (group: string, partition: number, offset: number) => void;
  /** False once no more faults strike. */
  readonly misbehaves: () => boolean;
}

export class SimulatedLambda {
  readonly #lambda: Lambda;
  readonly #aliases = new Set<string>();
  readonly #mappings: Mapping[] = [];

  constructor(lambda: Lambda) {
    this.#lambda = lambda;
  }

  /** The control plane of Lambda as one process calls it. */
  of(mortal: Mortal): Mappings {
    const call = <T>(what: string, effect: () => T): Promise<T> =>
      mortal.call({
        what: `lambda ${what}`,
        kind: "message",
        effect: async () => effect(),
        failure: () => new Error("Lambda does not answer"),
      });
    return {
      aliases: () => call("aliases", () => [...this.#aliases]),
      createAlias: (name) => call(`alias ${name}`, () => void this.#aliases.add(name)),
      deleteAlias: (name) => call(`no alias ${name}`, () => void this.#aliases.delete(name)),
      of: (alias) => call(`mappings ${alias}`, () => this.#of(alias).map(shown)),
      create: (alias, form) => call(`create ${alias}`, () => this.#create(alias, form)),
      update: (uuid, form) => call(`update ${uuid}`, () => this.#update(uuid, form)),
      delete: (uuid) => call(`delete ${uuid}`, () => this.#delete(uuid)),
    };
  }

  #of(alias: string): Mapping[] {
    return this.#mappings.filter((one) => one.alias === alias && one.state !== "gone");
  }

  #create(alias: string, form: MappingForm): void {
    const mapping: Mapping = { uuid: `map-${this.#mappings.length + 1}`, alias, form, state: "Creating" };
    this.#mappings.push(mapping);
    this.#later(mapping, form.isEnabled ? "Enabled" : "Disabled");
    for (let at = 0; at < this.#lambda.broker.partitions; at++) void this.#poll(mapping, at);
  }

  #update(uuid: string, form: MappingForm): void {
    const mapping = this.#mappings.find((one) => one.uuid === uuid);
    if (mapping === undefined) return;
    mapping.form = { ...mapping.form, isEnabled: form.isEnabled };
    mapping.state = form.isEnabled ? "Enabling" : "Disabling";
    this.#later(mapping, form.isEnabled ? "Enabled" : "Disabled");
  }

  #delete(uuid: string): void {
    const mapping = this.#mappings.find((one) => one.uuid === uuid);
    if (mapping === undefined || mapping.state === "gone") return;
    mapping.state = "Deleting";
    this.#later(mapping, "gone");
  }

  /** A mapping that is being disabled or deleted still delivers. */
  #later(mapping: Mapping, state: Mapping["state"]): void {
    const { clock, random } = this.#lambda;
    const expected = mapping.state;
    void clock.sleep(random.between(1, CHANGE_MAX_MS)).then(() => {
      if (mapping.state === expected) mapping.state = state;
    });
  }

  async #poll(mapping: Mapping, partition: number): Promise<void> {
    const { broker, clock, random } = this.#lambda;
    const group = groupOf(mapping.form);
    let stale: readonly Stored[] = [];
    while (mapping.state !== "gone") {
      const { topic } = broker;
      const batch = this.#reads(mapping) ? this.#next(mapping, group, partition) : undefined;
      if (batch === undefined || batch.records.length === 0) {
        if (batch !== undefined) broker.group(group).committed.set(partition, batch.nextOffset);
        await clock.sleep(POLL_MS);
        continue;
      }
      if (stale.length > 0 && this.#lambda.misbehaves() && random.chance(STALE_SHARE))
        await this.#deliver(mapping, stale).catch(() => undefined);
      if (this.#lambda.misbehaves() && random.chance(DOUBLED_SHARE))
        void this.#deliver(mapping, batch.records).catch(() => undefined);
      try {
        await this.#deliver(mapping, batch.records);
        stale = [];
        if (broker.topic !== topic) continue;
        broker.group(group).committed.set(partition, batch.nextOffset);
        stale = batch.records;
      } catch {
        await clock.sleep(random.between(1, AGAIN_MAX_MS));
      }
    }
  }

  #reads({ state }: Mapping): boolean {
    return state === "Enabled" || state === "Disabling" || state === "Deleting";
  }

  /** @returns the records after the offset of the group, or after the starting position */
  #next({ form }: Mapping, group: string, partition: number) {
    const { broker, onLatest } = this.#lambda;
    const log = broker.topic.partitions[partition]!;
    let from = broker.group(group).committed.get(partition);
    if (from === undefined) {
      from = form.fixed.StartingPosition === "TRIM_HORIZON" ? 0 : log.stableOffset;
      if (form.fixed.StartingPosition !== "TRIM_HORIZON") onLatest(group, partition, from);
      broker.group(group).committed.set(partition, from);
    }
    const records = log.records.filter(
      ({ offset, fate, isCompacted }) =>
        offset >= from && offset < log.stableOffset && fate === "committed" && !isCompacted,
    );
    const some = records.slice(0, RECORDS_MAX);
    return { records: some, nextOffset: some.length < records.length ? some.at(-1)!.offset + 1 : log.stableOffset };
  }

  async #deliver({ alias }: Mapping, records: readonly Stored[]): Promise<void> {
    const { broker, deliver } = this.#lambda;
    const { name: topic } = broker.topic;
    const [{ partition }] = records as readonly [Stored];
    const event: KafkaEvent = {
      eventSource: "SelfManagedKafka",
      records: {
        [`${topic}-${partition}`]: records.map(({ offset, timestampMs, key, name }) => ({
          topic,
          partition,
          offset,
          timestamp: timestampMs,
          timestampType: "CREATE_TIME",
          key: Buffer.from(key).toString("base64"),
          value: Buffer.from(name).toString("base64"),
          headers: [],
        })),
      },
    };
    await deliver(event, `arn:aws:lambda:eu-west-1:1:function:topics:${alias}`);
  }
}

function groupOf({ fixed }: MappingForm): string {
  return fixed.SelfManagedKafkaEventSourceConfig?.ConsumerGroupId ?? "";
}

function shown({ uuid, state, form }: Mapping): EventSourceMappingConfiguration {
  return {
    UUID: uuid,
    State: state,
    Topics: form.fixed.Topics,
    SelfManagedEventSource: form.fixed.SelfManagedEventSource,
    SelfManagedKafkaEventSourceConfig: form.fixed.SelfManagedKafkaEventSourceConfig,
    SourceAccessConfigurations: form.access,
  };
}
