/** A broker in memory: topics with partitions of batches, transactions with their markers, compaction, and groups with members. */
import type { Random } from "../random.ts";

/** A record as its producer made it; its name is unique in a run. */
export interface Made {
  readonly name: string;
  readonly key: string;
  readonly timestampMs: number;
  readonly sizeBytes: number;
}

export interface Stored extends Made {
  readonly partition: number;
  readonly offset: number;
  readonly topicId: string;
  /** `open`: its transaction has not ended. */
  fate: "open" | "committed" | "aborted";
  /** True if compaction removed the record, perhaps before a consumer saw it. */
  isCompacted: boolean;
}

export interface Batch {
  readonly firstOffset: number;
  readonly lastOffset: number;
  records: readonly Stored[];
  /** -1 for a producer without transactions. */
  readonly producerId: number;
  readonly marker?: "abort" | "commit";
}

interface Aborted {
  readonly producerId: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
}

export class PartitionLog {
  readonly batches: Batch[] = [];
  readonly records: Stored[] = [];
  readonly #open = new Map<number, Stored[]>();
  readonly #aborted: Aborted[] = [];
  endOffset = 0;

  /** Where the first open transaction begins: a consumer that reads committed records sees nothing from there on. */
  get stableOffset(): number {
    return Math.min(this.endOffset, ...[...this.#open.values()].map(([first]) => first!.offset));
  }

  append(
    made: readonly Made[],
    place: { readonly topicId: string; readonly partition: number },
    producerId = -1,
  ): void {
    const firstOffset = this.endOffset;
    const records = made.map((one, at): Stored => ({
      ...one,
      ...place,
      offset: firstOffset + at,
      fate: producerId < 0 ? "committed" : "open",
      isCompacted: false,
    }));
    this.batches.push({ firstOffset, lastOffset: firstOffset + made.length - 1, records: [...records], producerId });
    this.records.push(...records);
    this.endOffset += made.length;
    if (producerId >= 0) this.#open.set(producerId, [...(this.#open.get(producerId) ?? []), ...records]);
  }

  /** Writes the marker that ends a transaction. The broker lists an aborted transaction only if it has records here. */
  mark(producerId: number, marker: "abort" | "commit"): void {
    const offset = this.endOffset++;
    this.batches.push({ firstOffset: offset, lastOffset: offset, records: [], producerId, marker });
    const records = this.#open.get(producerId) ?? [];
    this.#open.delete(producerId);
    for (const one of records) one.fate = marker === "abort" ? "aborted" : "committed";
    if (marker === "abort" && records.length > 0)
      this.#aborted.push({ producerId, firstOffset: records[0]!.offset, lastOffset: offset });
  }

  /** Removes some committed records, as if later records with their keys had replaced them. */
  compact(random: Random): void {
    for (const batch of this.batches) {
      if (batch.lastOffset >= this.stableOffset - 1) break;
      for (const one of batch.records) if (one.fate === "committed") one.isCompacted = random.chance(0.3);
      batch.records = batch.records.filter(({ isCompacted }) => !isCompacted);
    }
  }

  /** @returns at most `count` batches from the one with this offset on, and the aborted transactions that they touch */
  read(from: number, count: number, committedOnly: boolean) {
    const below = committedOnly ? this.stableOffset : this.endOffset;
    const found = this.batches.filter(
      ({ lastOffset, firstOffset, records, marker }) =>
        lastOffset >= from && firstOffset < below && (records.length > 0 || marker !== undefined),
    );
    const batches = found.slice(0, count);
    const upTo = (batches.at(-1)?.lastOffset ?? from) + 1;
    const aborted = !committedOnly
      ? []
      : this.#aborted.filter(({ firstOffset, lastOffset }) => lastOffset >= from && firstOffset < upTo);
    return { batches, aborted, below };
  }
}

export interface Topic {
  readonly name: string;
  readonly id: string;
  readonly partitions: readonly PartitionLog[];
}

export interface Member {
  readonly name: string;
  /** Called when the coordinator assigns partitions to the member. */
  readonly onAssigned: (partitions: readonly number[]) => void;
  /** Called when another member takes the name of this one. */
  readonly onFenced: () => void;
}

interface Group {
  readonly members: Map<string, Member>;
  readonly committed: Map<number, number>;
}

export class Broker {
  topic: Topic;
  readonly partitions: number;
  readonly #groups = new Map<string, Group>();
  readonly #waiting = new Set<() => void>();
  /** How often the topic was created. */
  generation = 1;
  /** All records that were ever produced. */
  readonly all: Stored[] = [];

  constructor(name: string, partitions: number) {
    this.partitions = partitions;
    this.topic = topicOf(name, 1, partitions);
  }

  produce(partition: number, made: readonly Made[], producerId?: number): void {
    const log = this.topic.partitions[partition]!;
    const before = log.records.length;
    log.append(made, { topicId: this.topic.id, partition }, producerId);
    this.all.push(...log.records.slice(before));
    this.#rouse();
  }

  mark(partition: number, producerId: number, marker: "abort" | "commit"): void {
    this.topic.partitions[partition]!.mark(producerId, marker);
    this.#rouse();
  }

  /** Deletes the topic with the offsets of its groups, and creates it again. */
  recreate(): void {
    this.generation++;
    this.topic = topicOf(this.topic.name, this.generation, this.partitions);
    for (const { committed } of this.#groups.values()) committed.clear();
    this.#rouse();
  }

  group(name: string): Group {
    const group = this.#groups.get(name) ?? { members: new Map(), committed: new Map() };
    this.#groups.set(name, group);
    return group;
  }

  join(groupName: string, member: Member): void {
    const { members } = this.group(groupName);
    const former = members.get(member.name);
    members.set(member.name, member);
    if (former !== undefined && former !== member) former.onFenced();
    this.#assign(groupName);
  }

  leave(groupName: string, member: Member): void {
    const { members } = this.group(groupName);
    if (members.get(member.name) !== member) return;
    members.delete(member.name);
    this.#assign(groupName);
  }

  isMember(groupName: string, member: Member): boolean {
    return this.group(groupName).members.get(member.name) === member;
  }

  /** Calls once when records or markers arrive, or the topic changes. @returns a function that gives up the wait */
  onNews(call: () => void): () => void {
    this.#waiting.add(call);
    return () => this.#waiting.delete(call);
  }

  #assign(groupName: string): void {
    const members = [...this.group(groupName).members.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const [at, member] of members.entries()) {
      const mine = this.topic.partitions.flatMap((_, partition) =>
        partition % members.length === at ? [partition] : [],
      );
      member.onAssigned(mine);
    }
  }

  #rouse(): void {
    const calls = [...this.#waiting];
    this.#waiting.clear();
    for (const call of calls) call();
  }
}

function topicOf(name: string, generation: number, partitions: number): Topic {
  return { name, id: `topic-${generation}`, partitions: Array.from({ length: partitions }, () => new PartitionLog()) };
}
