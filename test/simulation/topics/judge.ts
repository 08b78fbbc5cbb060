/** Judges every write of a run: which records became invocations, under which reset, and what each position says. */
import { INVOCATION_ID_BYTES, invocationIdFromBytes } from "../../../shared/core/model/ids.ts";
import type { ResetTarget } from "../../../shared/core/topics/position.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { SeededIdSource } from "../seeded-id-source.ts";
import type { Note, WatchedTable } from "../seeds/watched-table.ts";
import type { Broker, Stored } from "./broker.ts";
import type { Plan } from "./plan.ts";

/** One beginning of a subscription: number 0 for its creation, then one for each reset. */
interface Epoch {
  readonly number: number;
  readonly to: ResetTarget;
  /** How often the topic had been created by then. */
  readonly generation: number;
  /** Where a consumer of committed records saw the end of each partition then. */
  readonly ends: readonly number[];
}

interface Life {
  readonly id: string;
  readonly epochs: Epoch[];
  isRemoved: boolean;
}

export interface Accepted {
  readonly life: Life;
  readonly number: number;
  readonly record: Stored;
}

const ids = new SeededIdSource("judge");
const ACCEPTANCE = "seg#000000";

export class Judge {
  readonly complaints: string[] = [];
  readonly #plan: Plan;
  readonly #broker: Broker;
  readonly #lives = new Map<string, Life>();
  readonly #known = new Map<string, Accepted>();
  readonly #seen = new Map<string, number>();
  readonly #accepted = new Map<string, Accepted>();
  /** The last offset that the broker named as the end, by subscription, reset, topic and partition. */
  readonly #latest = new Map<string, number>();
  /** The accepted records by subscription, reset and name. */
  readonly #places = new Set<string>();

  constructor(plan: Plan, broker: Broker) {
    this.#plan = plan;
    this.#broker = broker;
  }

  /** The accepted records by the ids of their invocations. */
  get accepted(): ReadonlyMap<string, Accepted> {
    return this.#accepted;
  }

  noteLatest(group: string, partition: number, offset: number): void {
    const [, id, given] = /^(sub_\w+?)(?:-(\d+))?$/.exec(group) ?? [];
    const life = this.#lives.get(id ?? "");
    if (life === undefined) return;
    const number = given === undefined ? this.#concerning(life, partition) : Number(given);
    const key = placeOf(life.id, number, this.#broker.topic.id, partition);
    this.#latest.set(key, Math.max(offset, this.#latest.get(key) ?? 0));
  }

  /** Judges the writes since the last call. */
  check(meta: WatchedTable, table: WatchedTable): void {
    for (const note of meta.takeNotes()) this.#learn(note);
    for (const note of table.takeNotes()) {
      if (note.pk.startsWith("inv#") && note.sk === ACCEPTANCE && note.after !== undefined) this.#judgeAcceptance(note);
      if (note.pk.startsWith("topic#") && note.after !== undefined) this.#judgePosition(note, note.after);
    }
  }

  #learn({ pk, sk, after }: Note): void {
    if (pk !== "kafka") return;
    if (sk.startsWith("sub#")) {
      const id = sk.slice("sub#".length);
      const life = this.#lives.get(id);
      if (after === undefined && life !== undefined) life.isRemoved = true;
      if (after !== undefined && life === undefined)
        this.#lives.set(id, {
          id,
          isRemoved: false,
          epochs: [this.#epoch(0, { kind: this.#plan.begins } as ResetTarget)],
        });
    }
    if (!sk.startsWith("state#") || typeof after?.["json"] !== "string") return;
    const life = this.#lives.get(sk.slice("state#".length));
    const { reset } = JSON.parse(after["json"]) as { reset?: { number: number; to: ResetTarget } };
    if (life === undefined || reset === undefined || reset.number <= this.#last(life).number) return;
    life.epochs.push(this.#epoch(reset.number, reset.to));
  }

  #epoch(number: number, to: ResetTarget): Epoch {
    const { topic, generation } = this.#broker;
    return { number, to, generation, ends: topic.partitions.map(({ stableOffset }) => stableOffset) };
  }

  #last({ epochs }: Life): Epoch {
    return epochs.at(-1)!;
  }

  #judgeAcceptance({ pk, before }: Note): void {
    const id = pk.slice("inv#".length);
    const found = this.#find(id);
    if (before !== undefined) return;
    if (found === undefined)
      return void this.complaints.push(`${id} is no invocation of a record under a reset of its subscription`);
    const what = told(found);
    if (this.#accepted.has(id)) this.complaints.push(`${what} was accepted twice`);
    this.#accepted.set(id, found);
    const { record, life, number } = found;
    this.#places.add(`${life.id} ${number} ${record.name}`);
    if (record.fate !== "committed" && !this.#plan.readsUncommitted)
      this.complaints.push(`${what} was accepted, though its transaction is ${record.fate}`);
    if (record.offset < this.#bounds(life, number, record).least)
      this.complaints.push(`${what} was accepted, though it lies before the place of that reset`);
  }

  #find(id: string): Accepted | undefined {
    if (this.#known.has(id)) return this.#known.get(id);
    const { all, topic } = this.#broker;
    for (const life of this.#lives.values()) {
      for (const { number } of life.epochs) {
        const place = `${life.id} ${number}`;
        for (const record of all.slice(this.#seen.get(place) ?? 0)) {
          const { partition, offset, timestampMs } = record;
          const parts = ["rec", life.id, number, topic.name, partition, offset, timestampMs].map(String);
          this.#known.set(invocationIdFromBytes(ids.derive(parts, INVOCATION_ID_BYTES)), { life, number, record });
        }
        this.#seen.set(place, all.length);
      }
    }
    return this.#known.get(id);
  }

  #judgePosition({ pk, sk, before }: Note, after: Item): void {
    const life = this.#lives.get(pk.slice("topic#".length));
    if (life === undefined) return;
    const partition = Number(sk.slice("at#".length));
    const [number, nextOffset] = [Number(after["resetNumber"]), Number(after["nextOffset"])];
    const what = `the position of ${life.id} in partition ${partition}`;
    const { generation, topic } = this.#broker;
    // Without the topic's id, a batch of the old topic may be late, and the position of the new topic then begins lower.
    const isSame = before?.["topicId"] === after["topicId"] && (generation === 1 || after["topicId"] !== undefined);
    if (before !== undefined && isSame) {
      const [was, had] = [Number(before["resetNumber"]), Number(before["nextOffset"])];
      if (number < was || (number === was && nextOffset < had))
        this.complaints.push(`${what} went back from ${had} under reset ${was} to ${nextOffset} under reset ${number}`);
    }
    const topicId = after["topicId"] ?? (generation === 1 ? topic.id : undefined);
    if (typeof topicId !== "string") return;
    for (const record of this.#due(life, number, partition, topicId)) {
      if (record.offset < nextOffset && !this.#has(life, number, record))
        this.complaints.push(`${what} is ${nextOffset} under reset ${number}, though ${record.offset} is not accepted`);
    }
  }

  /** @returns the records that the subscription must accept under a reset */
  #due(life: Life, number: number, partition: number, topicId: string): Stored[] {
    return this.#broker.all.filter(
      (record) =>
        record.topicId === topicId &&
        record.partition === partition &&
        !record.isCompacted &&
        (this.#plan.readsUncommitted || record.fate === "committed") &&
        record.offset >= this.#bounds(life, number, record).most,
    );
  }

  #has(life: Life, number: number, record: Stored): boolean {
    return this.#places.has(`${life.id} ${number} ${record.name}`);
  }

  /** Where delivery under a reset begins: at the earliest, and at the latest. */
  #bounds(
    life: Life,
    number: number,
    { partition, topicId }: Stored,
  ): { readonly least: number; readonly most: number } {
    const epoch = life.epochs.find((one) => one.number === number);
    if (epoch === undefined) return { least: Infinity, most: Infinity };
    const latest = this.#latest.get(placeOf(life.id, number, topicId, partition));
    const isSame = topicId === `topic-${epoch.generation}`;
    const end = isSame ? epoch.ends[partition]! : 0;
    switch (epoch.to.kind) {
      case "earliest":
        return { least: 0, most: !isSame && this.#plan.begins === "latest" ? (latest ?? Infinity) : 0 };
      case "offsets": {
        const asked = epoch.to.offsets[String(partition)] ?? 0;
        const first = this.#plan.begins === "latest" ? (latest ?? Infinity) : 0;
        return { least: isSame ? Math.min(asked, end) : 0, most: isSame ? asked : Math.max(asked, first) };
      }
      default:
        return { least: end, most: latest ?? Infinity };
    }
  }

  /** @returns what is still missing from what the living subscriptions must have accepted */
  missing(): string | undefined {
    for (const life of this.#lives.values()) {
      if (life.isRemoved) continue;
      for (const [partition, log] of this.#broker.topic.partitions.entries()) {
        const number = this.#concerning(life, partition);
        const lost = this.#due(life, number, partition, this.#broker.topic.id).find(
          (record) => record.offset < log.stableOffset && !this.#has(life, number, record),
        );
        if (lost !== undefined) return `${told({ life, number, record: lost })} was never accepted`;
      }
    }
    return undefined;
  }

  /** The number of the last reset that concerns the partition, whichever others came after it. */
  #concerning({ epochs }: Life, partition: number): number {
    const names = ({ to }: Epoch): boolean => to.kind !== "offsets" || to.offsets[String(partition)] !== undefined;
    return epochs.findLast(names)?.number ?? 0;
  }

  /** @returns the positions of removed subscriptions */
  leftovers(table: WatchedTable): string[] {
    const removed = [...this.#lives.values()].filter(({ isRemoved }) => isRemoved);
    return table
      .all()
      .filter(({ pk }) => removed.some(({ id }) => pk === `topic#${id}`))
      .map(({ pk, sk }) => `${pk} ${sk} is left, though the subscription was removed`);
  }
}

export function told({ life, number, record }: Accepted): string {
  const { name, topicId, partition, offset } = record;
  return `${name} (${topicId} ${partition}:${offset}) for ${life.id} under reset ${number}`;
}

function placeOf(id: string, number: number, topicId: string, partition: number): string {
  return `${id} ${number} ${topicId} ${partition}`;
}
