/** Messages in lanes by service: the lanes hand out due messages in turn, so no lane waits until another is empty. */
import type { Due } from "./due-heap.ts";
import { DueHeap } from "./due-heap.ts";

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
