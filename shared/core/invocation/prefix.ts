/** Takes the beginning of a journal, so that another invocation can start with it. */
import type { Entry } from "./entry.ts";
import type { Journal } from "./journal.ts";

/** The lowest protocol version whose journals can be cut; journals of earlier versions lack the information for a cut. */
export const CUT_VERSION_MIN = 6;

/**
 * @param from the index of the last entry to take, counting commands and notifications; 0 is the input
 * @returns the entries after the input, then later completions of the taken commands; undefined if the journal has no entry at
 * `from`, or if a taken command is not completed
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
  return [...taken, ...late].map(withoutReceipt);
}

/** The moments of receipt belong to the former invocation, and lie before the acceptance of the new one. */
function withoutReceipt(entry: Entry): Entry {
  const { receivedAtMs: _, ...kept } = entry;
  return kept;
}
