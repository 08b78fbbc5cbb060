/** The beginning of a journal, as another invocation can begin with it. */
import type { Entry } from "./entry.ts";
import type { Journal } from "./journal.ts";

/**
 * @param from the index of the last entry that is taken, counting commands and notifications; 0 is the input
 * @returns what follows the input, with the completions that came later behind it; undefined where there is no such
 *   entry, or where a command is taken that is not completed
 */
export function journalPrefix(journal: Journal, from: number): readonly Entry[] | undefined {
  if (from >= journal.entries.length) return undefined;
  const taken = new Set<Entry>(journal.entries.slice(1, from + 1));
  const awaited = new Set<number>();
  for (const [completionId, { entry }] of journal.completable) if (taken.has(entry)) awaited.add(completionId);
  for (const completionId of awaited) if (!journal.completed.has(completionId)) return undefined;
  const late = journal.entries
    .slice(from + 1)
    .filter(
      (entry) => entry.kind === "notification" && "completionId" in entry.id && awaited.has(entry.id.completionId),
    );
  return [...taken, ...late];
}
