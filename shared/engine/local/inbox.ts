/**
 * The arrivals and results of one invocation that no segment lists yet, and the wait of its driver for more. `drive/` reads
 * and consumes them; other code of the process adds results and ends the wait.
 */
import type { Arrival } from "../../core/invocation/event.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { Result } from "../../core/model/failure.ts";
import type { Clock } from "../ports/clock.ts";
import type { InboxRead, InboxRest } from "../store/inbox-reading.ts";

/** The largest total size of the results of one invocation that are only in memory. */
const RESULTS_MAX_BYTES = 4 * 1024 * 1024;

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
  readonly #wait = new DriverWait();
  #rest: InboxRest | undefined;
  #resultBytes = 0;

  readonly #left: ReadonlySet<string>;
  /** True if no driver reads the results: a recovery performs effects, and forgets what they bring. */
  readonly isOfRecovery: boolean;

  /** @param left keys of fresh arrivals that are left in the table: if there are some, the driver reads the arrivals first */
  constructor(
    arrivals: ReadonlyMap<string, Arrival> = new Map(),
    left: ReadonlySet<string> = new Set(),
    isOfRecovery = false,
  ) {
    this.isOfRecovery = isOfRecovery;
    this.#arrivals = new Map(arrivals);
    this.#left = left;
    this.#isDirty = left.size > 0;
  }

  /** True if the arrival has come, in memory or not. A redo then skips the effect that the arrival answers. */
  has(key: string): boolean {
    return this.#arrivals.has(key) || this.#left.has(key);
  }

  /** The fresh arrivals by key. An inline arrival is only in memory, so the segment that lists it also contains it. */
  get arrivals(): ReadonlyMap<string, Arrival> {
    return this.#arrivals;
  }

  /** The arrivals that the last read left in the table for lack of room. */
  get rest(): InboxRest | undefined {
    return this.#rest;
  }

  /** False if the results in memory would exceed their bound: such a result goes through the table. */
  hasRoomFor(result: Result | undefined): boolean {
    return this.#resultBytes + resultBytes(result) <= RESULTS_MAX_BYTES;
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
   * Adds a result that the process has in memory, such as the result of a child or of an invocation that was looked up. The
   * result is only in memory until a segment lists it or a park writes it.
   * @param isConsumed true if a segment lists the arrival already
   */
  addResult(arrival: Notification, result: ResultInMemory, isConsumed: boolean): void {
    const { key } = arrival.consumption;
    if (!isConsumed && !this.#arrivals.has(key)) {
      this.#arrivals.set(key, arrival);
      this.interrupt();
    }
    this.#forgetResult(key);
    this.#results.set(key, result);
    this.#resultBytes += resultBytes(result.result);
  }

  /** Called once the result is in the table. */
  noteWritten(key: string): void {
    const arrival = this.#arrivals.get(key);
    if (arrival?.kind === "notification")
      this.#arrivals.set(key, { ...arrival, consumption: { ...arrival.consumption, inline: false } });
    this.#forgetResult(key);
  }

  /**
   * Adds the arrivals that a read of the table found. A cut read first removes all earlier arrivals from memory except those
   * whose results the table does not have yet.
   */
  addRead({ arrivals, rest }: InboxRead): void {
    if (rest !== undefined)
      for (const key of this.#arrivals.keys()) if (!this.#results.has(key)) this.#arrivals.delete(key);
    this.#rest = rest;
    for (const [key, arrival] of arrivals) {
      this.#arrivals.set(key, arrival);
      this.#forgetResult(key);
    }
  }

  /**
   * Removes the arrivals that a segment lists. If the last read has left arrivals in the table, there is now room for them, so
   * the driver reads again, without a wake (I4).
   */
  consume({ consumed, orders = [] }: Pick<Segment, "consumed" | "orders">): void {
    for (const { key } of consumed) {
      this.#arrivals.delete(key);
      this.#forgetResult(key);
    }
    for (const key of orders) this.#arrivals.delete(key);
    if (this.#rest !== undefined && consumed.length + orders.length > 0) this.#isDirty = true;
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
    // A clock that was set back begins the time anew.
    this.#readAtMs = Math.min(this.#readAtMs ?? nowMs, nowMs);
    return nowMs - this.#readAtMs;
  }

  close(): void {
    this.#isOpen = false;
    this.#wait.close();
  }

  /** Waits in the driver for `ms`, or until `interrupt` is called. */
  wait(clock: Clock, ms: number): Promise<void> {
    return this.#wait.begin(clock, ms);
  }

  /** Ends the wait in the driver, if it waits. */
  interrupt(): void {
    this.#wait.interrupt();
  }

  #forgetResult(key: string): void {
    const known = this.#results.get(key);
    if (known === undefined) return;
    this.#resultBytes -= resultBytes(known.result);
    this.#results.delete(key);
  }
}

function resultBytes(result: Result | undefined): number {
  if (result === undefined) return 0;
  return result.kind === "success" ? result.value.length : result.failure.message.length;
}

interface Sleep {
  readonly untilMs: number;
  readonly end: AbortController;
}

/** The reason of each abort. An abort without a reason would make an error with a stack. */
const NO_LONGER_NEEDED = Symbol("no longer needed");

/**
 * The wait of a driver: it ends at a moment, or when other code of the process interrupts it. A handler of many steps begins
 * thousands of waits, nearly all of which are interrupted, so one sleep of the clock serves many waits.
 */
export class DriverWait {
  #untilMs = 0;
  /** The time that the wait asked for: no sleep for it is longer, although the clock may be set back meanwhile. */
  #askedMs = 0;
  #resume: (() => void) | undefined;
  #sleep: Sleep | undefined;

  /** Waits for `ms`, or until `interrupt` is called. One wait at a time. */
  begin(clock: Clock, ms: number): Promise<void> {
    this.#untilMs = clock.nowMs() + ms;
    this.#askedMs = ms;
    return new Promise((resolve) => {
      this.#resume = resolve;
      this.#sleepOn(clock);
    });
  }

  /** Ends the wait, if there is one. */
  interrupt(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  /** Ends the sleep of the clock. Called when the driver leaves. */
  close(): void {
    this.#sleep?.end.abort(NO_LONGER_NEEDED);
    this.#sleep = undefined;
  }

  /**
   * If the present sleep ends no later than the wait, this sleep goes on, and a further sleep follows if needed. Otherwise a
   * shorter sleep replaces the present one.
   */
  #sleepOn(clock: Clock): void {
    if (this.#sleep !== undefined && this.#sleep.untilMs <= this.#untilMs) return;
    this.close();
    const sleep = { untilMs: this.#untilMs, end: new AbortController() };
    this.#sleep = sleep;
    const ms = Math.min(this.#askedMs, Math.max(0, sleep.untilMs - clock.nowMs()));
    void clock.sleep(ms, sleep.end.signal).then((slept) => {
      if (!slept || this.#sleep !== sleep) return;
      this.#sleep = undefined;
      if (this.#resume === undefined) return;
      if (this.#untilMs <= sleep.untilMs) this.interrupt();
      else this.#sleepOn(clock);
    });
  }
}
