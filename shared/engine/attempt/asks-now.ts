/** Decides which entries of an open exchange need an answer soon, and which awaits last longer than the exchange. */
import type { Journal } from "../../core/invocation/journal.ts";
import { CANCEL_SIGNAL } from "../../core/invocation/entry.ts";
import { type Await, awaitedCompletions } from "../../core/model/await-tree.ts";
import type { Received } from "../../core/protocol/received.ts";

/** Commands that need no answer from the engine at once: they can wait for the next entry. */
const QUIET: ReadonlySet<string> = new Set([
  "Run",
  "Output",
  "SetState",
  "ClearState",
  "ClearAllState",
  "GetEagerState",
  "GetEagerStateKeys",
]);

/** @param farFromMs the latest end of a sleep for which the exchange stays open */
export function asksNow(item: Received, farFromMs: number): boolean {
  if (item.kind === "proposal") return true;
  if (item.name === "Sleep") return item.message.wakeUpTimeMs <= farFromMs;
  return !QUIET.has(item.name);
}

/**
 * True if the handler awaits only sleeps that end after `farFromMs`.
 * @param received entries that are not in the journal yet
 */
export function awaitsFarSleeps(
  awaiting: Await | undefined,
  journal: Journal,
  received: readonly Received[],
  farFromMs: number,
): boolean {
  if (awaiting === undefined || awaitsSignals(awaiting)) return false;
  const completions = awaitedCompletions(awaiting);
  if (completions.size === 0) return false;
  for (const completionId of completions) {
    const command = journal.open.get(completionId)?.entry.command;
    const endsAtMs = command?.kind === "sleep" ? command.wakeAtMs : newSleepEnd(received, completionId);
    if (endsAtMs === undefined || endsAtMs <= farFromMs) return false;
  }
  return true;
}

function newSleepEnd(received: readonly Received[], completionId: number): number | undefined {
  for (const item of received)
    if (item.kind === "command" && item.name === "Sleep" && item.message.resultCompletionId === completionId)
      return item.message.wakeUpTimeMs;
  return undefined;
}

/** True if the await names a signal other than CANCEL, which every await names. */
function awaitsSignals({ signals, namedSignals, nested }: Await): boolean {
  return namedSignals.length > 0 || signals.some((index) => index !== CANCEL_SIGNAL) || nested.some(awaitsSignals);
}
