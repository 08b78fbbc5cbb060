/** The limits in bytes of one reply and of one journal, which a driver has in memory as a whole. */
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { journalBytes } from "../local/journal-room.ts";

/** The limit of one reply, as a multiple of the budget of all replies; storing a reply takes several times its size. */
const REPLY_OF_BUDGET = 2;
/** The limit of a journal, as a multiple of the budget of all journals, and the least that it is in a small process. */
const JOURNAL_OF_BUDGET = 2;
const JOURNAL_LEAST_BYTES = 128 * 1024 * 1024;
/** A full journal still takes small replies, so that its handler can end, until it has grown by this much more. */
const FULL_GROWTH_MAX_BYTES = 16 * 1024 * 1024;
const SMALL_REPLY_BYTES = 64 * 1024;

export function replyOfBudget({ bulkheads }: Engine): number {
  return REPLY_OF_BUDGET * bulkheads.replies.capacity;
}

/** The bytes by which the journal may grow in one attempt. Without a limit an endless handler could fill the memory. */
export function journalLeftBytes({ bulkheads }: Engine, { invocation }: ActiveInvocation): number {
  const maxBytes = Math.max(JOURNAL_LEAST_BYTES, JOURNAL_OF_BUDGET * bulkheads.journals.capacity);
  const leftBytes = maxBytes - journalBytes(invocation.journal);
  if (leftBytes > SMALL_REPLY_BYTES) return leftBytes;
  return leftBytes > -FULL_GROWTH_MAX_BYTES ? SMALL_REPLY_BYTES : 0;
}

/** The limit of a reply and of the answers to its reads together. */
export function replyMaxBytes(engine: Engine, active: ActiveInvocation): number {
  return Math.min(replyOfBudget(engine), journalLeftBytes(engine, active));
}
