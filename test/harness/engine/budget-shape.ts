/**
 * A shape of the write budget (docs/design.md#write-budget): its designed cost, its measured cost, and the reason for a
 * difference.
 */
import type { Play } from "./budget-play.ts";

/** Write units of items and of indexes, and requests to the queue. */
export interface Cost {
  readonly items: number;
  readonly indexes: number;
  readonly queue: number;
}

export interface Shape {
  readonly name: string;
  /** The rows of the write budget that add up to this shape. */
  readonly sum: string;
  readonly design: Cost;
  /** Present if the measured cost differs from the designed one. */
  readonly measured?: Cost & { readonly why: string };
  /** The number of read requests before the answer, and the number until every message has been delivered. */
  readonly reads: { readonly onPath: number; readonly inAll: number };
  /** Resolves when the caller has its answer. `Play.drain` then delivers the messages that are still on their way. */
  play(play: Play): Promise<void>;
}

export const cost = (items: number, indexes: number, queue: number): Cost => ({ items, indexes, queue });

export async function sendAndWait(play: Play, target: string, input: unknown): Promise<void> {
  await play.send(target, input);
  play.work();
  await play.settle();
}
