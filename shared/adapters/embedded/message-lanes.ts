/** Messages in lanes by service: of what is due, one of each lane is handed out in turn, so that no lane waits for all of another. */
import type { Due } from "./due-heap.ts";
import { DueHeap } from "./due-heap.ts";

export interface InLane extends Due {
  /** The lane, for as long as the message exists. */
  readonly lane: string;
}

interface Lane<T extends InLane> {
  readonly name: string;
  readonly heap: DueHeap<T>;
  /** When it was last served, by a count of servings. */
  servedAt: number;
  /** Refused when it was last asked: it does not count for the next look. */
  isRefused: boolean;
}

export class MessageLanes<T extends InLane> {
  readonly #lanes = new Map<string, Lane<T>>();
  #size = 0;
  #servings = 0;

  get size(): number {
    return this.#size;
  }

  /** Puts it in, or moves it when it is in already. */
  place(message: T, dueAtMs: number): void {
    const lane = this.#lane(message.lane);
    if (message.heapIndex < 0) this.#size++;
    lane.heap.place(message, dueAtMs);
  }

  /** Takes it out; harmless when it is not in. */
  remove(message: T): void {
    if (message.heapIndex < 0) return;
    const lane = this.#lane(message.lane);
    lane.heap.remove(message);
    this.#size--;
    if (lane.heap.size === 0) this.#lanes.delete(lane.name);
  }

  /**
   * Goes round the lanes that have something due, those first that have waited longest for a turn.
   * @param admits asked once before each message; a lane that it refuses is left out for the rest of this call
   * @param hand takes one message, and moves it or takes it out
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

  /** When the next message is due, of lanes that were not refused when they were last served; undefined where there is none. */
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
