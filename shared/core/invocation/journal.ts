/** The journal in memory: its frames in order, and the index that decisions need. Never changed in place. */
import type { Result } from "../model/failure.ts";
import type { CommandEntry, Entry } from "./entry.ts";

/** A command that may be completed later, by the completion id it waits for. */
export interface Completable {
  readonly commandIndex: number;
  readonly entry: CommandEntry;
}

export interface Journal {
  readonly entries: readonly Entry[];
  readonly commandCount: number;
  /** Completion id to the command that owns it. */
  readonly completable: ReadonlyMap<number, Completable>;
  /** Completion ids that have their notification. */
  readonly completed: ReadonlySet<number>;
  /** Ids of the invocations that this one called or sent, in command order, by the completion that tells them. */
  readonly childIds: ReadonlyMap<number, string>;
  /** The last Output wins, as on the reference server. */
  readonly output?: Result;
}

export const EMPTY_JOURNAL: Journal = {
  entries: [],
  commandCount: 0,
  completable: new Map(),
  completed: new Set(),
  childIds: new Map(),
};

export function append(journal: Journal, added: readonly Entry[]): Journal {
  if (added.length === 0) return journal;
  let { commandCount, output } = journal;
  const completable = new Map(journal.completable);
  const completed = new Set(journal.completed);
  const childIds = new Map(journal.childIds);
  for (const entry of added) {
    if (entry.kind === "command") {
      for (const id of completionIds(entry)) completable.set(id, { commandIndex: commandCount, entry });
      if (entry.command.kind === "output") output = entry.command.result;
      commandCount++;
    } else {
      if (!("completionId" in entry.id)) continue;
      completed.add(entry.id.completionId);
      if (entry.invocationId !== undefined) childIds.set(entry.id.completionId, entry.invocationId);
    }
  }
  const entries = journal.entries.concat(added);
  return { entries, commandCount, completable, completed, childIds, ...(output && { output }) };
}

function completionIds({ command }: CommandEntry): readonly number[] {
  switch (command.kind) {
    case "run":
    case "sleep":
    case "attach":
    case "get-output":
      return [command.completionId];
    case "call":
      return [command.child.idCompletionId, command.completionId];
    case "send":
      return [command.child.idCompletionId];
    case "plain":
    case "output":
    case "signal":
    case "complete-awakeable":
      return [];
  }
}

/** Completion ids of runs that have no result yet: the only ones a proposal may name. */
export function openRuns(journal: Journal): Set<number> {
  return openCompletions(journal, "run");
}

/** Sleeps that have not been completed, with the moment each is over. */
export function openSleeps(journal: Journal): readonly { readonly completionId: number; readonly wakeAtMs: number }[] {
  const sleeps = [];
  for (const [completionId, { entry }] of journal.completable) {
    if (entry.command.kind !== "sleep" || journal.completed.has(completionId)) continue;
    sleeps.push({ completionId, wakeAtMs: entry.command.wakeAtMs });
  }
  return sleeps.sort((a, b) => a.wakeAtMs - b.wakeAtMs || a.completionId - b.completionId);
}

function openCompletions(journal: Journal, kind: string): Set<number> {
  const open = new Set<number>();
  for (const [completionId, { entry }] of journal.completable) {
    if (entry.command.kind === kind && !journal.completed.has(completionId)) open.add(completionId);
  }
  return open;
}
