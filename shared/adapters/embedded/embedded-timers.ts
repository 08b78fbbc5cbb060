/** The timers on the embedded store. When a timer is due, one atomic write replaces its record by a message in the queue. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Timer, Timers } from "../../engine/ports/timers.ts";
import { Alarm } from "./alarm.ts";
import type { Operation } from "./commit-groups.ts";
import { DueHeap, type Due } from "./due-heap.ts";
import type { EmbeddedQueue } from "./embedded-queue.ts";
import { TIMER } from "./key-encoding.ts";
import { scanRecords } from "./table-pages.ts";
import type { Store } from "./store.ts";

const RETRY_AFTER_MS = 1000;
const FIRE_MAX_TIMERS = 1000;

interface SetTimer extends Due {
  readonly name: string;
  readonly invocationId: InvocationId;
  readonly service?: string;
  /** Resolves when the timer is on disk. */
  durable: Promise<void>;
}

/** The record on disk. */
interface TimerRecord {
  readonly invocationId: InvocationId;
  readonly wakeAtMs: number;
  readonly service?: string;
}

/** Opens the timers of the store and starts to fire them into the queue. One store has one such object. @throws StoreError */
export async function openEmbeddedTimers(store: Store, queue: EmbeddedQueue, clock: Clock): Promise<EmbeddedTimers> {
  const timers = new EmbeddedTimers(store, queue, clock);
  await scanRecords(store, TIMER, (name, record) => timers.restore(name, record as TimerRecord));
  timers.start();
  return timers;
}

export class EmbeddedTimers implements Timers {
  readonly #store: Store;
  readonly #queue: EmbeddedQueue;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  readonly #set = new Map<string, SetTimer>();
  readonly #heap = new DueHeap<SetTimer>();
  #isEnding = false;
  #firing: Promise<void> | undefined;
  #nextOrder = 1;

  constructor(store: Store, queue: EmbeddedQueue, clock: Clock) {
    this.#store = store;
    this.#queue = queue;
    this.#clock = clock;
    this.#alarm = new Alarm(clock);
    store.onClose(async () => {
      this.#isEnding = true;
      this.#alarm.ring(-Infinity);
      await this.#firing;
    });
  }

  async at({ name, invocationId, wakeAtMs, service }: Timer): Promise<void> {
    const usable = this.#store.whenUsable();
    if (usable !== undefined) await usable;
    const existing = this.#set.get(name);
    if (existing !== undefined) return await existing.durable;
    const nowMs = this.#clock.nowMs();
    const recipient = { invocationId, ...(service !== undefined && { service }) };
    if (wakeAtMs <= nowMs) {
      await this.#queue.send({ ...recipient, sentAtMs: nowMs, delayMs: 0 });
      return;
    }
    const record: TimerRecord = { ...recipient, wakeAtMs };
    const group = this.#store.groups.stage([
      { type: "put", key: TIMER + name, value: Buffer.from(JSON.stringify(record)) },
    ]);
    const timer: SetTimer = {
      name,
      ...recipient,
      durable: group.done,
      dueAtMs: wakeAtMs,
      order: this.#nextOrder++,
      heapIndex: -1,
    };
    this.#set.set(name, timer);
    try {
      await group.done;
    } catch (error) {
      if (this.#set.get(name) === timer) this.#set.delete(name);
      throw error;
    }
    // A cancel may have removed the timer during the write.
    if (this.#set.get(name) === timer) this.#arm(timer, wakeAtMs);
  }

  async cancel(name: string): Promise<void> {
    const usable = this.#store.whenUsable();
    if (usable !== undefined) await usable;
    const timer = this.#set.get(name);
    if (timer === undefined) return;
    const { dueAtMs } = timer;
    this.#forget(timer);
    try {
      await this.#store.groups.stage([{ type: "del", key: TIMER + name }]).done;
    } catch (error) {
      // The record is still on disk, so the timer must still fire.
      if (!this.#set.has(name)) this.#remember(timer, dueAtMs);
      throw error;
    }
  }

  /** Adds a timer that was found on disk. */
  restore(name: string, { wakeAtMs, ...recipient }: TimerRecord): void {
    const timer: SetTimer = {
      name,
      ...recipient,
      durable: Promise.resolve(),
      dueAtMs: wakeAtMs,
      order: this.#nextOrder++,
      heapIndex: -1,
    };
    this.#remember(timer, wakeAtMs);
  }

  /** Fires what became due because the clock was set. */
  look(): void {
    this.#alarm.ring(-Infinity);
  }

  start(): void {
    this.#firing ??= this.#fireUntilClosed();
  }

  async #fireUntilClosed(): Promise<void> {
    while (!this.#isEnding) {
      const nowMs = this.#clock.nowMs();
      const firstMs = this.#heap.first()?.dueAtMs ?? Infinity;
      if (firstMs > nowMs) await this.#alarm.wait(firstMs);
      else await this.#fireDue(nowMs);
    }
  }

  async #fireDue(nowMs: number): Promise<void> {
    const due: SetTimer[] = [];
    const operations: Operation[] = [];
    const admissions: (() => void)[] = [];
    for (
      let timer = this.#heap.first();
      timer !== undefined && timer.dueAtMs <= nowMs && due.length < FIRE_MAX_TIMERS;
      timer = this.#heap.first()
    ) {
      this.#forget(timer);
      const { invocationId, service } = timer;
      const { operation, admit } = this.#queue.prepare({
        invocationId,
        sentAtMs: nowMs,
        delayMs: 0,
        ...(service !== undefined && { service }),
      });
      operations.push({ type: "del", key: TIMER + timer.name }, operation);
      admissions.push(admit);
      due.push(timer);
    }
    try {
      await this.#store.whenUsable();
      await this.#store.groups.stage(operations).done;
      for (const admit of admissions) admit();
    } catch {
      // Other writes report the store's error to their callers. These timers fire later.
      for (const timer of due) if (!this.#set.has(timer.name)) this.#remember(timer, nowMs + RETRY_AFTER_MS);
    }
  }

  #remember(timer: SetTimer, dueAtMs: number): void {
    this.#set.set(timer.name, timer);
    this.#arm(timer, dueAtMs);
  }

  #arm(timer: SetTimer, dueAtMs: number): void {
    this.#heap.place(timer, dueAtMs);
    this.#alarm.ring(dueAtMs);
  }

  #forget(timer: SetTimer): void {
    this.#set.delete(timer.name);
    this.#heap.remove(timer);
  }
}
