/**
 * The arrivals and results of one invocation that no segment lists yet, and the wait of its driver for more. `drive/` reads
 * and consumes them; other code of the process adds results and ends the wait.
 */
import type { Arrival } from "../../core/invocation/event.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { Result } from "../../core/model/failure.ts";
import type { Clock } from "../ports/clock.ts";

type Notification = Extract<Arrival, { kind: "notification" }>;

/** A result that is only in memory. Its form does not depend on a protocol version, because a park may have to write it. */
export interface ResultInMemory {
  readonly completionId: number;
  readonly result: Result | undefined;
}

export class Inbox {
  readonly #arrivals: Map<string, Arrival>;
  readonly #results = new Map<string, ResultInMemory>();
  #readAtMs: number | undefined;
  #isOpen = true;
  #isDirty = false;
  #hadItems = false;
  #wait: AbortController | undefined;

  constructor(arrivals: ReadonlyMap<string, Arrival> = new Map()) {
    this.#arrivals = new Map(arrivals);
  }

  /** The fresh arrivals by key. An inline arrival is only in memory, so the segment that lists it also contains it. */
  get arrivals(): ReadonlyMap<string, Arrival> {
    return this.#arrivals;
  }

  /** Results that the table does not have yet. */
  get results(): ReadonlyMap<string, ResultInMemory> {
    return this.#results;
  }

  /** False once the driver has left: later results must go through the table. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** True if an item was written for the invocation: the driver must read the arrivals before it parks. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  /** True if an item was written during the drive: another invocation may have attached. */
  get mayHaveSink(): boolean {
    return this.#isDirty || this.#hadItems;
  }

  /** True if a result is only in memory, so that it would be lost with this process. */
  get hasUnwritten(): boolean {
    return this.#results.size > 0 && [...this.#arrivals.keys()].some((key) => this.#results.has(key));
  }

  /**
   * Adds a result from a child or a lookup. It is only in memory until a segment lists it or a park writes it.
   * @param isConsumed true if a segment lists the arrival already
   */
  addResult(arrival: Notification, result: ResultInMemory, isConsumed: boolean): void {
    const { key } = arrival.consumption;
    if (!isConsumed && !this.#arrivals.has(key)) {
      this.#arrivals.set(key, arrival);
      this.interrupt();
    }
    this.#results.set(key, result);
  }

  /** Called once the result is in the table. */
  noteWritten(key: string): void {
    const arrival = this.#arrivals.get(key);
    if (arrival?.kind === "notification")
      this.#arrivals.set(key, { ...arrival, consumption: { ...arrival.consumption, inline: false } });
    this.#results.delete(key);
  }

  /** Adds arrivals that were read from the table. */
  addRead(arrivals: ReadonlyMap<string, Arrival>): void {
    for (const [key, arrival] of arrivals) {
      this.#arrivals.set(key, arrival);
      this.#results.delete(key);
    }
  }

  /** Removes what a segment lists. */
  consume({ consumed, orders }: Pick<Segment, "consumed" | "orders">): void {
    for (const { key } of consumed) {
      this.#arrivals.delete(key);
      this.#results.delete(key);
    }
    for (const key of orders ?? []) this.#arrivals.delete(key);
  }

  markDirty(): void {
    this.#isDirty = true;
    this.interrupt();
  }

  /** Called before the arrivals are read, so that an item written during the read marks the inbox as dirty again. */
  clean(): void {
    this.#isDirty = false;
    this.#hadItems = true;
  }

  noteRead(atMs: number): void {
    this.#readAtMs = atMs;
  }

  /** The time since the arrivals were read. The first call counts as a read, because it follows the load. */
  sinceReadMs(nowMs: number): number {
    this.#readAtMs ??= nowMs;
    return nowMs - this.#readAtMs;
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Waits in the driver for `ms`, or until `interrupt` is called. */
  async wait(clock: Clock, ms: number): Promise<void> {
    this.#wait = new AbortController();
    await clock.sleep(ms, this.#wait.signal);
    this.#wait = undefined;
  }

  /** Ends the wait in the driver, if it waits. */
  interrupt(): void {
    this.#wait?.abort();
  }
}
