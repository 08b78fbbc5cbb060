/** The rule of order: the records of one key and partition begin to run in the order of their offsets, within a reset. */
import { type Accepted, type Judge, told } from "./judge.ts";

export class OrderRule {
  readonly complaints: string[] = [];
  readonly #first = new Set<string>();
  #noted: string[] = [];
  readonly #last = new Map<string, Accepted>();

  /** Notes that a handler runs for an invocation. */
  note(id: string): void {
    if (this.#first.has(id)) return;
    this.#first.add(id);
    this.#noted.push(id);
  }

  hasRun(id: string): boolean {
    return this.#first.has(id);
  }

  /** Judges the runs since the last call. A run may precede the write of its acceptance. */
  check({ accepted }: Judge, keepsOrder: boolean): void {
    if (!keepsOrder) return;
    this.#noted = this.#noted.filter((id) => {
      const found = accepted.get(id);
      if (found === undefined) return true;
      const { life, number, record } = found;
      // A death between the acceptance and the place at the key leaves the place to the batch that comes again, and the broker has
      // removed the record from that batch (ADR 40).
      if (record.isCompacted) return false;
      const lane = `${life.id} ${number} ${record.topicId} ${record.partition} ${record.key}`;
      const before = this.#last.get(lane);
      if (before !== undefined && before.record.offset > record.offset)
        this.complaints.push(`${told(found)} ran after ${told(before)}`);
      this.#last.set(lane, found);
      return false;
    });
  }
}
