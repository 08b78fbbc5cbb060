/** The limits in bytes of one reply, which a driver has in memory as a whole. */
import { journalBytes } from "../../core/invocation/journal.ts";
import { journalLeftBytes } from "../bulkheads/journal-limit.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";

/**
 * The limit of one reply, as a multiple of the budget of all replies: one account at a time may go beyond the budget. The
 * multiple is small, because a reply takes several times its size in memory while a driver stores it.
 */
const REPLY_OF_BUDGET = 2;

export function replyOfBudget({ bulkheads }: Engine): number {
  return REPLY_OF_BUDGET * bulkheads.replies.capacity;
}

/**
 * The bytes by which a reply may make the journal grow. The arrivals that the segment of the reply may list count as a part of
 * the journal already.
 */
export function replyLeftBytes({ bulkheads }: Engine, { invocation, inbox }: ActiveInvocation): number {
  let sizeBytes = journalBytes(invocation.journal);
  for (const arrival of inbox.arrivals.values())
    if (arrival.kind === "notification") sizeBytes += arrival.consumption.entry.frame.length;
  return journalLeftBytes(bulkheads, sizeBytes);
}

/** The limit of a reply and of the answers to its reads together. */
export function replyMaxBytes(engine: Engine, active: ActiveInvocation): number {
  return Math.min(replyOfBudget(engine), replyLeftBytes(engine, active));
}
