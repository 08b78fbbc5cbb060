/** The rules for the lock of an object after every write (I6): one holder at a time, and a state that never goes back. */
import type { Invocation } from "../../../shared/core/invocation/invocation.ts";
import type { Segment } from "../../../shared/core/invocation/segment.ts";
import type { Target } from "../../../shared/core/model/target.ts";
import { type Lock, readLock } from "../../../shared/engine/store/lock-record.ts";
import { lockKey } from "../../../shared/engine/store/object-keys.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { LOG, OBJECT } from "./program.ts";
import type { Note, WatchedTable } from "./watched-table.ts";

/** @param isOver whether the segments of this life contain its end, or give up the lock as it is now */
export function lockComplaints(note: Note, isOver: (id: string, nonce: string, lock: Lock) => boolean): string[] {
  const { pk } = note;
  if (note.before === undefined || note.after === undefined) return [];
  const [before, after] = [readLock(note.before), readLock(note.after)];
  const complaints: string[] = [];
  const changes = before.holder?.nonce !== after.holder?.nonce;
  if (changes && before.holder !== undefined && !isOver(before.holder.id, before.holder.nonce, before))
    complaints.push(`${pk} was given away, and its holder ${before.holder.id} has not ended (I6)`);
  if (after.grant < before.grant || (changes && after.holder !== undefined && after.grant === before.grant))
    complaints.push(`${pk} changes hands, and its grant does not grow: ${before.grant}, ${after.grant} (I6)`);
  if (after.head < before.head || after.tail < before.tail || after.head > after.tail)
    complaints.push(`the queue of ${pk} goes from ${queueOf(before)} to ${queueOf(after)}`);
  const [older, newer] = [logIn(before), logIn(after)];
  if (older.some((name, at) => newer[at] !== name))
    complaints.push(`the state of ${pk} went back from ${older.join()} to ${newer.join()} (I6)`);
  return complaints;
}

/**
 * An exclusive handler commits only while it holds the lock. If one transaction wrote segment and lock, the handler held the
 * lock before the transaction, or the transaction took a free lock.
 */
export function holderComplaints(
  table: WatchedTable,
  { acceptance }: Invocation,
  segment: Segment,
  joined: Note["lock"],
): string[] {
  if (acceptance.target.service !== OBJECT || segment.attempt === undefined) return [];
  const { holder } = joined === undefined ? lockOf(table, acceptance.target) : readLock(joined.before);
  if (holder?.nonce === acceptance.nonce || (joined !== undefined && takesFreeLock(joined, segment))) return [];
  const by = holder?.id ?? "no invocation";
  return [`${acceptance.id} wrote segment ${segment.index} while ${by} held its key (I6)`];
}

/** True if the write took a free lock under the grant of its segment, whether or not it also gave the lock back. */
function takesFreeLock({ before, after }: NonNullable<Note["lock"]>, segment: Segment): boolean {
  const [former, latter] = [readLock(before), readLock(after)];
  return former.holder === undefined && latter.grant > former.grant && latter.grant === segment.grant;
}

/** @returns the lock of a key of the object */
export function lockOf(table: WatchedTable, { key = "", scope }: Pick<Target, "key" | "scope">): Lock {
  const service = scope === undefined ? OBJECT : `${OBJECT}@${scope}`;
  return readLock(table.shown(lockKey(`obj#${service}#${key}`)));
}

/** @returns the names of the programs that ran, in their order */
export function logIn({ state }: Lock): readonly string[] {
  const value = state.inline.get(LOG);
  return value === undefined ? [] : (JSON.parse(new TextDecoder().decode(value)) as string[]);
}

/** @returns the partition keys of held locks */
export function heldKeys(items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => (item.sk === "lock" && item["held"] === 1 ? [item.pk] : []));
}

function queueOf({ head, tail }: Lock): string {
  return `${head} of ${tail}`;
}
