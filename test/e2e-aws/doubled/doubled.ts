/** The worst that a standard queue allows: every message comes twice, and in any order. */
import { QUEUE_DELAY_MAX_MS, type Queue } from "../../../shared/engine/ports/queue.ts";

const LATE_MAX_MS = 2_000;

/** One copy of each message may be late, so that messages overtake each other. */
export function doubled(queue: Queue): Queue {
  const late = (delayMs: number) => Math.min(QUEUE_DELAY_MAX_MS, delayMs + Math.floor(Math.random() * LATE_MAX_MS));
  return {
    async send(wake) {
      const copies = [wake, { ...wake, delayMs: late(wake.delayMs) }];
      if (Math.random() < 0.5) copies.reverse();
      const [ticket] = await Promise.all(copies.map((copy) => queue.send(copy)));
      return ticket!;
    },
    recall: (ticket) => queue.recall(ticket),
    receive: (limit, visibilityMs, waitMs, signal) => queue.receive(limit, visibilityMs, waitMs, signal),
    extend: (receipt, visibilityMs) => queue.extend(receipt, visibilityMs),
    ack: (receipt) => queue.ack(receipt),
  };
}
