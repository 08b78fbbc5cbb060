/** A queue in which some messages come twice, late or out of order, and some never: messages are hints (I8). */
import { QUEUE_DELAY_MAX_MS, type Queue } from "../../../shared/engine/ports/queue.ts";

const LATE_MAX_MS = 2_000;
const DOUBLED_SHARE = 0.08;
/** The handle (`MessageHandle`) of a message that was never sent. */
const LOST = "lost";

export type Fate = "sent" | "doubled" | "lost";

/**
 * @param lostShare the share of all messages that are lost, in [0, 1)
 * @param note a function that gets the fate of each message
 */
export function faultyQueue(queue: Queue, lostShare: number, note: (fate: Fate) => void): Queue {
  const late = (delayMs: number) => Math.min(QUEUE_DELAY_MAX_MS, delayMs + Math.floor(Math.random() * LATE_MAX_MS));
  return {
    async send(wake) {
      const fate = fateBy(Math.random(), lostShare);
      note(fate);
      if (fate === "lost") return LOST;
      if (fate === "sent") return await queue.send(wake);
      const copies = [wake, { ...wake, delayMs: late(wake.delayMs) }];
      if (Math.random() < 0.5) copies.reverse();
      const [ticket] = await Promise.all(copies.map((copy) => queue.send(copy)));
      return ticket!;
    },
    recall: async (ticket) => (ticket === LOST ? undefined : await queue.recall(ticket)),
    receive: (limit, visibilityMs, waitMs, signal) => queue.receive(limit, visibilityMs, waitMs, signal),
    extend: (receipt, visibilityMs) => queue.extend(receipt, visibilityMs),
    ack: (receipt) => queue.ack(receipt),
  };
}

function fateBy(luck: number, lostShare: number): Fate {
  if (luck < lostShare) return "lost";
  return luck < lostShare + DOUBLED_SHARE ? "doubled" : "sent";
}
