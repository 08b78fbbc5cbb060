/** Derives what an open invocation waits for from its phase, its journal and the notifications that have arrived. */
import type { AttemptFailure } from "../model/attempt-failure.ts";
import { type Await, awaitedCompletions } from "../model/await-tree.ts";
import type { CommandEntry, NotificationEntry } from "./entry.ts";
import { CANCEL_SIGNAL, type SignalName } from "../protocol/command-parts.ts";
import { type CommandWait, commandRow } from "../protocol/commands.ts";
import type { Invocation, Phase } from "./invocation.ts";

/** A run whose result the deployment has not sent yet. */
export interface RunningStep {
  readonly name: string;
  /** When its command was stored. */
  readonly sinceMs: number;
}

export type WaitCause =
  /** The start of a delayed send. */
  | { readonly kind: "schedule"; readonly untilMs: number }
  /** The key of the object or of the workflow. */
  | { readonly kind: "key" }
  /** The next attempt. `attempt` is its number; `failure` is undefined if no attempt has failed. */
  | {
      readonly kind: "retry";
      readonly untilMs: number;
      readonly attempt: number;
      readonly failure: AttemptFailure | undefined;
    }
  /** An operator's order to resume. */
  | { readonly kind: "resume" }
  /** A driver: a message is under way, or a worker has no room yet. */
  | { readonly kind: "driver" }
  /** The answer of the deployment to the running attempt. `steps` has the runs without a result, in the order of the journal. */
  | { readonly kind: "attempt"; readonly attempt: number; readonly steps: readonly RunningStep[] }
  | CommandWait
  | { readonly kind: "signal"; readonly signal: SignalName }
  /** The completion of another command, such as a run. */
  | { readonly kind: "command"; readonly type: string; readonly name: string };

export type Wait = WaitCause & {
  /**
   * The moment when the command was received. For a signal, the moment of the last entry before the wait. For other waits without a
   * command, the moment when the invocation came into its phase.
   */
  readonly sinceMs: number;
};

export interface WaitFacts {
  /** The moment of each entry of the journal. */
  readonly moments: readonly number[];
  /** Notifications that no segment lists yet. */
  readonly arrived: readonly NotificationEntry[];
}

/** @returns an empty list for a completed invocation */
export function waitsOf(invocation: Invocation, facts: WaitFacts): readonly Wait[] {
  const { acceptance, phase, attempts, lastFailure, modifiedAtMs } = invocation;
  const { createdAtMs, startAtMs = 0 } = acceptance;
  switch (phase.status) {
    case "completed":
      return [];
    case "scheduled":
      return [{ kind: "schedule", untilMs: phase.startAtMs, sinceMs: createdAtMs }];
    case "pending":
      return [{ kind: "key", sinceMs: Math.max(createdAtMs, startAtMs) }];
    case "ready":
      return [{ kind: "driver", sinceMs: Math.max(modifiedAtMs, startAtMs) }];
    case "running":
      return [
        {
          kind: "attempt",
          attempt: Math.max(1, attempts),
          steps: runningSteps(invocation, facts),
          sinceMs: Math.max(modifiedAtMs, startAtMs),
        },
      ];
    case "paused":
      return [{ kind: "resume", sinceMs: Math.max(modifiedAtMs, lastFailure?.atMs ?? 0) }];
    case "backing-off": {
      const sinceMs = Math.max(modifiedAtMs, lastFailure?.atMs ?? 0);
      return [{ kind: "retry", untilMs: phase.retryAtMs, attempt: attempts + 1, failure: lastFailure, sinceMs }];
    }
    case "suspended":
      return suspendedOn(invocation, phase, facts);
  }
}

/** The handler's code may have begun each of these runs. Its other code is not in the journal, so it has no name. */
function runningSteps({ journal, modifiedAtMs }: Invocation, { moments }: WaitFacts): readonly RunningStep[] {
  const runs = [...journal.open.values()].filter(({ entry }) => entry.command.kind === "run");
  if (runs.length === 0) return [];
  const places = commandPlaces(journal);
  return runs
    .toSorted((a, b) => a.commandIndex - b.commandIndex)
    .map(({ entry, commandIndex }) => ({
      name: entry.name,
      sinceMs: moments[places[commandIndex] ?? 0] ?? modifiedAtMs,
    }));
}

function commandPlaces({ entries }: Invocation["journal"]): readonly number[] {
  return entries.flatMap(({ kind }, index) => (kind === "command" ? [index] : []));
}

/** The awaited results that have not come yet. If all have come, a wake is under way, and all of them are returned. */
function suspendedOn(
  { journal, modifiedAtMs }: Invocation,
  { awaiting, fresh }: Extract<Phase, { status: "suspended" }>,
  { moments, arrived }: WaitFacts,
): readonly Wait[] {
  const come = new Come([...fresh, ...arrived]);
  const places = commandPlaces(journal);
  const leaves: { readonly wait: Wait; readonly hasCome: boolean }[] = [];
  const seen = new Set<CommandEntry>();
  // No command stands for a signal. The handler has waited since the last entry at most; an exchange may have stayed open since.
  const quietSinceMs = Math.min(modifiedAtMs, moments[journal.entries.length - 1] ?? modifiedAtMs);
  for (const id of [...awaitedCompletions(awaiting)].sort((a, b) => a - b)) {
    const found = journal.completable.get(id);
    if (found === undefined || seen.has(found.entry)) continue;
    seen.add(found.entry);
    const sinceMs = moments[places[found.commandIndex] ?? 0] ?? modifiedAtMs;
    const wait = { ...causeOf(found.entry, journal.childIds), sinceMs };
    leaves.push({ wait, hasCome: journal.completed.has(id) || come.completion(id) });
  }
  for (const signal of awaitedSignals(awaiting))
    leaves.push({ wait: { kind: "signal", signal, sinceMs: quietSinceMs }, hasCome: come.signal(signal) });
  const left = leaves.filter(({ hasCome }) => !hasCome);
  return (left.length > 0 ? left : leaves).map(({ wait }) => wait);
}

function causeOf({ command, type, name }: CommandEntry, childIds: ReadonlyMap<number, string>): WaitCause {
  const childId = "child" in command ? childIds.get(command.child.idCompletionId) : undefined;
  return commandRow(type).wait(command, childId) ?? { kind: "command", type, name };
}

/** Every await of a handler also names CANCEL, so CANCEL is left out unless the await names nothing else. */
function awaitedSignals(tree: Await): readonly SignalName[] {
  const indexes = new Set<number>();
  const names = new Set<string>();
  const nodes: Await[] = [tree];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    for (const index of node.signals) indexes.add(index);
    for (const name of node.namedSignals) names.add(name);
    nodes.push(...node.nested);
  }
  const isCancelAlone = indexes.size + names.size === 1 && awaitedCompletions(tree).size === 0;
  if (!isCancelAlone) indexes.delete(CANCEL_SIGNAL);
  return [...[...indexes].sort((a, b) => a - b).map((index) => ({ index })), ...[...names].map((name) => ({ name }))];
}

/** The notifications that have come, by the names that an await uses. */
class Come {
  readonly #keys: ReadonlySet<string>;

  constructor(entries: readonly NotificationEntry[]) {
    this.#keys = new Set(entries.map(({ id }) => ("completionId" in id ? `c${id.completionId}` : signalKey(id))));
  }

  completion(id: number): boolean {
    return this.#keys.has(`c${id}`);
  }

  signal(signal: SignalName): boolean {
    return this.#keys.has(signalKey(signal));
  }
}

function signalKey(signal: SignalName): string {
  return "name" in signal ? `n${signal.name}` : `s${signal.index}`;
}
