/** The journal in memory: its entries in order, and maps that decisions need. Only a `GrowingJournal` changes in place. */
import type { Result } from "../model/failure.ts";
import type { CommandEntry, Entry } from "./entry.ts";

/** A command with a completion id, which may be completed later. */
export interface Completable {
  readonly commandIndex: number;
  readonly entry: CommandEntry;
}

export interface Journal {
  readonly entries: readonly Entry[];
  readonly commandCount: number;
  /** The commands by completion id. */
  readonly completable: ReadonlyMap<number, Completable>;
  /** The commands that still lack a notification, by the completion id of that notification. */
  readonly open: ReadonlyMap<number, Completable>;
  /** The completion ids that have a notification. */
  readonly completed: ReadonlySet<number>;
  /** The ids of called or sent invocations, by the completion id of the notification that contains the invocation's id. */
  readonly childIds: ReadonlyMap<number, string>;
  /** The result of the last Output: of several outputs the last one counts, as on the reference server. */
  readonly output?: Result;
}

export const EMPTY_JOURNAL: Journal = {
  entries: [],
  commandCount: 0,
  completable: new Map(),
  open: new Map(),
  completed: new Set(),
  childIds: new Map(),
};

/** A journal that grows in place. While it grows, only the code that created it may use it. */
export interface GrowingJournal extends Journal {
  readonly entries: Entry[];
  commandCount: number;
  readonly completable: Map<number, Completable>;
  readonly open: Map<number, Completable>;
  readonly completed: Set<number>;
  readonly childIds: Map<number, string>;
  output?: Result;
}

/** @returns a copy of the journal that can grow */
export function growing({ entries, completable, open, completed, childIds, ...rest }: Journal): GrowingJournal {
  return {
    ...rest,
    entries: entries.slice(),
    completable: new Map(completable),
    open: new Map(open),
    completed: new Set(completed),
    childIds: new Map(childIds),
  };
}

export function grow(journal: GrowingJournal, entry: Entry): void {
  journal.entries.push(entry);
  if (entry.kind === "command") {
    const completable: Completable = { commandIndex: journal.commandCount++, entry };
    for (const id of completionIds(entry)) {
      journal.completable.set(id, completable);
      if (!journal.completed.has(id)) journal.open.set(id, completable);
    }
    if (entry.command.kind === "output") journal.output = entry.command.result;
  } else if ("completionId" in entry.id) {
    const { completionId } = entry.id;
    journal.completed.add(completionId);
    journal.open.delete(completionId);
    if (entry.invocationId !== undefined) journal.childIds.set(completionId, entry.invocationId);
  }
}

export function append(journal: Journal, added: readonly Entry[]): Journal {
  if (added.length === 0) return journal;
  // If no added entry changes a map, the maps are not copied. The Input and the Output of a plain call change none.
  const grown: GrowingJournal = added.some(touchesMaps)
    ? growing(journal)
    : { ...(journal as GrowingJournal), entries: journal.entries.slice() };
  for (const entry of added) grow(grown, entry);
  return grown;
}

function touchesMaps(entry: Entry): boolean {
  return entry.kind === "command" ? completionIds(entry).length > 0 : "completionId" in entry.id;
}

/** The completion ids of a command: the one for the id of its child, and the one for its result. */
function completionIds({ command }: CommandEntry): readonly number[] {
  const ids = "child" in command ? [command.child.idCompletionId] : [];
  if ("completionId" in command) ids.push(command.completionId);
  return ids;
}

/** The completion ids of runs without a result. The SDK may propose results for these only. */
export function openRuns({ open }: Journal): Set<number> {
  const runs = new Set<number>();
  for (const [completionId, { entry }] of open) if (entry.command.kind === "run") runs.add(completionId);
  return runs;
}

/** The calls that have no result yet, with the ids of the called invocations. */
export function openCalls({
  open,
  childIds,
}: Journal): readonly { readonly completionId: number; readonly childId: string }[] {
  const calls = [];
  for (const [completionId, { entry }] of open) {
    const { command } = entry;
    if (command.kind !== "call" || command.completionId !== completionId) continue;
    const childId = childIds.get(command.child.idCompletionId);
    if (childId !== undefined) calls.push({ completionId, childId });
  }
  return calls;
}

/** The sleeps that are not completed, sorted by the moments at which they end. */
export function openSleeps({ open }: Journal): readonly { readonly completionId: number; readonly wakeAtMs: number }[] {
  const sleeps = [];
  for (const [completionId, { entry }] of open) {
    if (entry.command.kind === "sleep") sleeps.push({ completionId, wakeAtMs: entry.command.wakeAtMs });
  }
  return sleeps.sort((a, b) => a.wakeAtMs - b.wakeAtMs || a.completionId - b.completionId);
}

/** The bytes of all entries. */
export function journalBytes({ entries }: Pick<Journal, "entries">): number {
  let sizeBytes = 0;
  for (const { frame } of entries) sizeBytes += frame.length;
  return sizeBytes;
}
