/**
 * What has come for one invocation and no segment lists yet, and the wait of its driver for more. The driver (`drive/`) reads
 * and consumes; other code of the process adds results and ends the wait.
 */
import type { Arrival } from "../../core/invocation/event.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { Result } from "../../core/model/failure.ts";
import type { Clock } from "../ports/clock.ts";

type Notification = Extract<Arrival, { kind: "notification" }>;

/** The result of an inline arrival, independent of any protocol version, in case a park must write it. */
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

  /** Fresh arrivals, by key; a segment that lists an inline one also contains it. */
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

  /** An item was written for the invocation: the driver reads the arrivals before it parks. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  /** An item was written during the drive: another invocation may have attached. */
  get mayHaveSink(): boolean {
    return this.#isDirty || this.#hadItems;
  }

  /** True where a result would be lost with this process. */
  get hasUnwritten(): boolean {
    return this.#results.size > 0 && [...this.#arrivals.keys()].some((key) => this.#results.has(key));
  }

  /**
   * Adds a result from a child or a lookup: it stays in memory until a segment lists it or a park writes it.
   * @param isConsumed a segment lists the arrival already
   */
  addResult(arrival: Notification, result: ResultInMemory, isConsumed: boolean): void {
    const { key } = arrival.consumption;
    if (!isConsumed && !this.#arrivals.has(key)) {
      this.#arrivals.set(key, arrival);
      this.interrupt();
    }
    this.#results.set(key, result);
  }

  /** The table has the result now. */
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

  /** Called before the arrivals are read: an item that is written during the read marks the inbox as dirty again. */
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

  /** Waits inside the driver for `ms`, or until `interrupt`. */
  async wait(clock: Clock, ms: number): Promise<void> {
    this.#wait = new AbortController();
    await clock.sleep(ms, this.#wait.signal);
    this.#wait = undefined;
  }

  /** Ends the wait inside the driver, if there is one. */
  interrupt(): void {
    this.#wait?.abort();
  }
}
