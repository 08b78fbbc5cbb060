/** The queue on the embedded store: messages are durable; receipts exist in the memory of this process only. */
import type { InvocationId } from "../../core/model/ids.ts";
import { TransientMap } from "../../core/model/transient-map.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import {
  QUEUE_DELAY_MAX_MS,
  type Delivery,
  type Intake,
  type Queue,
  type MessageHandle,
  type Wake,
} from "../../engine/ports/queue.ts";
import { StoreError } from "../../engine/ports/table.ts";
import { Alarm } from "./alarm.ts";
import type { Operation } from "./commit-groups.ts";
import { MESSAGE } from "./key-encoding.ts";
import { scanRecords } from "./table-pages.ts";
import type { Store } from "./store.ts";
import { DueHeap, type Due } from "./due-heap.ts";

const ORDER_DIGITS = 16;
/** The lane of messages that name no service; no service has an empty name. */
const NO_SERVICE = "";
const ADMIT_ALL: Intake = { admit: () => true };

interface Message extends InLane {
  readonly wake: Wake;
  /** The moment at which the message first becomes visible; after a restart, the message is due at this moment again. */
  readonly firstDueAtMs: number;
  receiveCount: number;
  /** The receipt of the latest delivery; empty before the first. */
  receipt: string;
}

/** The record on disk. */
interface MessageRecord {
  readonly invocationId: InvocationId;
  readonly sentAtMs: number;
  readonly delayMs: number;
  readonly wakeAtMs?: number;
  readonly service?: string;
  readonly dueAtMs: number;
  readonly receiveCount: number;
}

/** Opens the queue with the messages that the store contains. One store has one queue. @throws StoreError */
export async function openEmbeddedQueue(store: Store, clock: Clock): Promise<EmbeddedQueue> {
  const queue = new EmbeddedQueue(store, clock);
  await scanRecords(store, MESSAGE, (name, record) => queue.restore(Number(name), record as MessageRecord));
  return queue;
}

export class EmbeddedQueue implements Queue {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  readonly #lanes = new MessageLanes<Message>();
  readonly #held = new TransientMap<string, Message>();
  /** Messages that this process sent and that were never received, by their order; only these can be recalled. */
  readonly #unseen = new TransientMap<number, Message>();
  #isEnding = false;
  #lastMs = -Infinity;
  #heldBackMs = 0;
  #nextOrder = 1;
  #nextDelivery = 1;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#alarm = new Alarm(clock);
    store.onClose(async () => {
      this.#isEnding = true;
      this.#alarm.ring(-Infinity);
    });
  }

  /** The number of messages, including delayed messages and messages that were received but not acked. */
  get size(): number {
    return this.#lanes.size;
  }

  async send(wake: Wake): Promise<MessageHandle> {
    if (!(wake.delayMs >= 0 && wake.delayMs <= QUEUE_DELAY_MAX_MS)) {
      throw new StoreError(`a message can be delayed by 0 to ${QUEUE_DELAY_MAX_MS} ms, not by ${wake.delayMs}`);
    }
    // Staging happens in this tick if the store is open, so the message shares its group with other writes of this tick.
    const usable = this.#store.whenUsable();
    if (usable !== undefined) await usable;
    const { operation, admit, handle } = this.prepare(wake);
    await this.#store.groups.stage([operation]).done;
    admit();
    return handle;
  }

  async recall(handle: MessageHandle): Promise<void> {
    const message = this.#unseen.get(Number(handle));
    if (message === undefined) return;
    this.#unseen.delete(message.order);
    this.#lanes.remove(message);
    // If this write fails, the message reappears at the next start, as a wake for nothing.
    this.#store.groups.stageLazily([{ type: "del", key: keyOf(message.order) }]);
  }

  /** Prepares a message that the caller writes with other operations. Once it is durable, the caller calls `admit`. */
  prepare(wake: Wake): { readonly operation: Operation; readonly admit: () => void; readonly handle: MessageHandle } {
    const delayMs = Math.ceil(wake.delayMs);
    const dueAtMs = this.#nowMs() + delayMs;
    const message: Message = {
      wake,
      lane: laneOf(wake),
      firstDueAtMs: this.#clock.nowMs() + delayMs,
      dueAtMs,
      order: this.#nextOrder++,
      heapIndex: -1,
      receiveCount: 0,
      receipt: "",
    };
    const admit = () => {
      this.#unseen.set(message.order, message);
      this.#show(message, dueAtMs);
    };
    return { operation: recordOf(message), admit, handle: String(message.order) };
  }

  /** Adds a message that was found on disk. It waits for no longer than its delay, although the clock may have been set back. */
  restore(order: number, record: MessageRecord): void {
    const { dueAtMs: storedMs, receiveCount, ...wake } = record;
    const dueAtMs = Math.min(storedMs, this.#nowMs() + Math.ceil(wake.delayMs));
    this.#nextOrder = Math.max(this.#nextOrder, order + 1);
    const message = { wake, lane: laneOf(wake), firstDueAtMs: dueAtMs, dueAtMs, order, heapIndex: -1, receiveCount };
    this.#show({ ...message, receipt: "" }, dueAtMs);
  }

  async receive(
    limit: number,
    visibilityMs: number,
    waitMs: number,
    signal?: AbortSignal,
    intake: Intake = ADMIT_ALL,
  ): Promise<readonly Delivery[]> {
    const untilMs = this.#nowMs() + waitMs;
    for (;;) {
      if (this.#isEnding || signal?.aborted === true) return [];
      const nowMs = this.#nowMs();
      const deliveries = this.#take(limit, nowMs, visibilityMs, intake);
      if (deliveries.length > 0 || nowMs >= untilMs) return deliveries;
      // The alarm goes by the clock of the machine.
      const nextMs = Math.min(this.#lanes.nextDueMs() ?? untilMs, untilMs) - this.#heldBackMs;
      await this.#alarm.wait(nextMs, signal);
    }
  }

  /** Lets each wait in `receive` look at the clock again. */
  look(): void {
    this.#alarm.ring(-Infinity);
  }

  async extend(receipt: string, visibilityMs: number): Promise<void> {
    const message = this.#held.get(receipt);
    if (message !== undefined) this.#show(message, this.#nowMs() + visibilityMs);
  }

  /** Resolves before the delete is durable: a message that reappears after a crash counts as a duplicate. */
  async ack(receipt: string): Promise<void> {
    const message = this.#held.get(receipt);
    if (message === undefined) return;
    this.#held.delete(receipt);
    this.#lanes.remove(message);
    const group = this.#store.groups.stageLazily([{ type: "del", key: keyOf(message.order) }]);
    // A message whose delete failed is offered again; otherwise it would stay on disk until the next start.
    group.done.catch(() => this.#show(message, this.#nowMs()));
  }

  #show(message: Message, dueAtMs: number): void {
    this.#lanes.place(message, dueAtMs);
    this.#alarm.ring(dueAtMs - this.#heldBackMs);
  }

  /**
   * The time of this queue, which never goes back: a message is delayed or hidden for a duration, so a clock that is set back must
   * not hide it for longer. A clock that is set forward makes it due early, which each receiver of a message bears.
   */
  #nowMs(): number {
    const nowMs = this.#clock.nowMs();
    this.#heldBackMs = Math.max(this.#heldBackMs, this.#lastMs - nowMs);
    this.#lastMs = Math.max(this.#lastMs, nowMs + this.#heldBackMs);
    return this.#lastMs;
  }

  #take(limit: number, nowMs: number, visibilityMs: number, intake: Intake): Delivery[] {
    const deliveries: Delivery[] = [];
    const records: Operation[] = [];
    const admits = (lane: string): boolean => intake.admit(lane === NO_SERVICE ? undefined : lane);
    this.#lanes.serve(nowMs, limit, admits, (message) => {
      this.#held.delete(message.receipt);
      this.#unseen.delete(message.order);
      message.receiveCount += 1;
      message.receipt = `${message.order}-${this.#nextDelivery++}`;
      this.#held.set(message.receipt, message);
      this.#lanes.place(message, nowMs + Math.max(visibilityMs, 1));
      deliveries.push({ wake: message.wake, receiveCount: message.receiveCount, receipt: message.receipt });
      records.push(recordOf(message));
    });
    // The stored count exposes a message that ends its process again and again. No caller waits for this write.
    if (records.length > 0) this.#store.groups.stageLazily(records);
    return deliveries;
  }
}

function laneOf({ service }: Wake): string {
  return service ?? NO_SERVICE;
}

function keyOf(order: number): string {
  return MESSAGE + String(order).padStart(ORDER_DIGITS, "0");
}

function recordOf({ wake, firstDueAtMs, order, receiveCount }: Message): Operation {
  const record: MessageRecord = { ...wake, dueAtMs: firstDueAtMs, receiveCount };
  return { type: "put", key: keyOf(order), value: Buffer.from(JSON.stringify(record)) };
}

/** Messages in lanes by service: the lanes hand out due messages in turn, so no lane waits until another is empty. */
export interface InLane extends Due {
  /** The name of the lane, which never changes. */
  readonly lane: string;
}

interface Lane<T extends InLane> {
  readonly name: string;
  readonly heap: DueHeap<T>;
  /** The value of the serving counter at this lane's last turn. */
  servedAt: number;
  /** True if `serve` refused the lane at the last call; `nextDueMs` then leaves the lane out. */
  isRefused: boolean;
}

export class MessageLanes<T extends InLane> {
  readonly #lanes = new Map<string, Lane<T>>();
  #size = 0;
  #servings = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds the message, or moves it if it is present. */
  place(message: T, dueAtMs: number): void {
    const lane = this.#lane(message.lane);
    if (message.heapIndex < 0) this.#size++;
    lane.heap.place(message, dueAtMs);
  }

  /** Removes the message, if it is present. */
  remove(message: T): void {
    if (message.heapIndex < 0) return;
    const lane = this.#lane(message.lane);
    lane.heap.remove(message);
    this.#size--;
    if (lane.heap.size === 0) this.#lanes.delete(lane.name);
  }

  /**
   * Serves the lanes with due messages in turn, beginning with the lane that has waited longest.
   * @param admits called once before each message; a lane that it refuses gets no turn for the rest of this call
   * @param hand receives one message, and moves or removes it
   */
  serve(nowMs: number, limit: number, admits: (lane: string) => boolean, hand: (message: T) => void): void {
    const due = [...this.#lanes.values()].filter((lane) => firstDueMs(lane) <= nowMs);
    let ready = due.sort((a, b) => a.servedAt - b.servedAt);
    for (const lane of ready) lane.isRefused = false;
    for (let left = limit; left > 0 && ready.length > 0;) {
      for (const lane of ready) {
        if (left === 0) return;
        lane.isRefused = !admits(lane.name);
        if (lane.isRefused) continue;
        lane.servedAt = ++this.#servings;
        left--;
        hand(lane.heap.first()!);
      }
      ready = ready.filter((lane) => !lane.isRefused && firstDueMs(lane) <= nowMs);
    }
  }

  /** The moment at which the next message is due; undefined if there is none. Lanes that `serve` refused do not count. */
  nextDueMs(): number | undefined {
    let next: number | undefined;
    for (const lane of this.#lanes.values()) {
      const dueMs = firstDueMs(lane);
      if (!lane.isRefused && dueMs !== Infinity && (next === undefined || dueMs < next)) next = dueMs;
    }
    return next;
  }

  #lane(name: string): Lane<T> {
    const lane = this.#lanes.get(name) ?? { name, heap: new DueHeap<T>(), servedAt: 0, isRefused: false };
    this.#lanes.set(name, lane);
    return lane;
  }
}

function firstDueMs<T extends InLane>({ heap }: Lane<T>): number {
  return heap.first()?.dueAtMs ?? Infinity;
}
