/** The effects of a durable segment (I2). They derive from stored items alone, so that a redo produces the same effects. */
import type { InvocationId, Nonce, ScheduleId } from "../model/ids.ts";
import type { Result } from "../model/failure.ts";
import type { StateChange } from "../model/state-change.ts";
import type { TargetTypes } from "../model/target.ts";
import { type CallOrigin, needsLock } from "./acceptance.ts";
import { type EndOutcome, outcomeOf } from "./end-outcome.ts";
import type { CommandEntry, Entry } from "./entry.ts";
import type { ChildRequest, Lookup, SignalName } from "../protocol/command-parts.ts";
import type { Invocation } from "./invocation.ts";
import { openCalls } from "./journal.ts";
import type { Segment } from "./segment.ts";

export type Effect =
  /** With a completion id the child is a call whose result is delivered to the caller; without one it is a send. */
  | {
      readonly kind: "accept-child";
      readonly child: ChildRequest;
      readonly childId: InvocationId;
      /** Undefined if the registry did not know the target: it has to know the target at the latest now. */
      readonly types: TargetTypes | undefined;
      /** The number of the attempt that asked for the child. */
      readonly attempt: number;
      /** The place of the command in the journal. */
      readonly commandIndex: number;
      readonly completionId?: number;
      readonly startAtMs?: number;
    }
  /**
   * `senderKey` identifies this signal command, so that a repeated effect counts once (I7). The keys of one sender sort in the order
   * of its commands.
   */
  | {
      readonly kind: "signal";
      readonly invocationId: string;
      readonly signal: SignalName;
      readonly result: Result | undefined;
      readonly senderKey: string;
    }
  | { readonly kind: "complete-awakeable"; readonly awakeableId: string; readonly result: Result | undefined }
  | { readonly kind: "attach"; readonly lookup: Lookup; readonly completionId: number }
  | { readonly kind: "get-output"; readonly lookup: Lookup; readonly completionId: number }
  | { readonly kind: "get-promise"; readonly name: string; readonly completionId: number }
  /** `by` identifies this command: of several completions the first counts, and a repeated effect counts once. */
  | {
      readonly kind: "complete-promise";
      readonly name: string;
      readonly result: Result;
      readonly completionId: number;
      readonly by: string;
    }
  /** Publishes the changes of state and keeps the lock. The changes count only under the grant that the segment names. */
  | { readonly kind: "apply-state"; readonly changes: StateChanges }
  /** Applies the changes of the last segment, and frees the lock or passes it on to the next ticket. */
  | { readonly kind: "give-back"; readonly changes: StateChanges }
  /**
   * The invocation was paused, and no stored item shows an attempt of it. It gives up its key, and its place in the queue of the
   * key.
   */
  | { readonly kind: "leave-queue" }
  /** The run of a workflow has ended; state and promises of the workflow are kept as long as the result of the run. */
  | { readonly kind: "close-workflow"; readonly changes: StateChanges; readonly endedAtMs: number }
  /** Delivers the result to the caller, which waits for the result under `completionId`. */
  | {
      readonly kind: "deliver";
      readonly callerId: InvocationId;
      readonly callerNonce: Nonce;
      readonly completionId: number;
      readonly result: Result;
    }
  /** Tells the schedule how its run ended. */
  | {
      readonly kind: "note-run";
      readonly schedule: string;
      readonly scheduleId: ScheduleId;
      readonly run: string;
      readonly outcome: EndOutcome;
      readonly endedAtMs: number;
    }
  /** Delivers the result to the invocations that attached. */
  | { readonly kind: "answer-sinks"; readonly result: Result }
  /**
   * Kills the child that this call created. An invocation that the call only found under a key is not killed, and neither
   * is a later life of the child's id.
   */
  | (CallOrigin & { readonly kind: "kill-child"; readonly childId: InvocationId });

export type StateEffect = Extract<Effect, { kind: "apply-state" | "give-back" | "close-workflow" }>;

export interface StateChanges {
  readonly inOrder: readonly StateChange[];
  readonly segmentIndex: number;
  /** Undefined if no attempt of the invocation is known to have run under a grant. */
  readonly grant: number | undefined;
}

/** @param before the invocation before the segment; it provides the index of the first new command */
export function effectsOf(before: Invocation, segment: Segment): readonly Effect[] {
  if (segment.after.kind === "paused") return segment.after.leavesQueue ? [{ kind: "leave-queue" }] : [];
  // If a segment has no attempt and does not complete the invocation, it contains an operator's order or a copied
  // journal; neither of these causes an effect.
  if (segment.attempt === undefined && segment.after.kind !== "completed") return [];
  const effects: Effect[] = [];
  let commandIndex = before.journal.commandCount;
  for (const [at, entry] of segment.entries.entries()) {
    if (entry.kind !== "command") continue;
    const effect = effectOf(before, segment, at, commandIndex++);
    if (effect !== undefined && !(segment.after.kind === "completed" && onlyAsks(effect))) effects.push(effect);
  }
  if (needsLock(before.acceptance)) {
    const stateEffect = stateEffectOf(before, segment);
    if (stateEffect !== undefined) effects.push(stateEffect);
  }
  return segment.after.kind === "completed" ? effects.concat(finalEffects(before, segment, segment.after)) : effects;
}

/** @param before the invocation before the segment, which needs the lock of its key */
export function stateEffectOf({ acceptance, grant }: Invocation, segment: Segment): StateEffect | undefined {
  const inOrder: StateChange[] = [];
  for (const entry of segment.entries)
    if (entry.kind === "command" && entry.command.kind === "change-state") inOrder.push(entry.command.change);
  const changes = { inOrder, segmentIndex: segment.index, grant: segment.grant ?? grant };
  if (segment.after.kind !== "completed") return inOrder.length === 0 ? undefined : { kind: "apply-state", changes };
  if (acceptance.handlerType === "exclusive") return { kind: "give-back", changes };
  return { kind: "close-workflow", changes, endedAtMs: segment.writtenAtMs };
}

/**
 * @param at the place of the command among the entries of the segment
 * @param index the index of the command in the journal
 */
function effectOf(before: Invocation, segment: Segment, at: number, index: number): Effect | undefined {
  const { command } = segment.entries[at] as CommandEntry;
  switch (command.kind) {
    case "call":
      return { ...acceptChild(command.child, segment, at, index), completionId: command.completionId };
    case "send": {
      const startAtMs = command.startAtMs > 0 ? { startAtMs: command.startAtMs } : {};
      return { ...acceptChild(command.child, segment, at, index), ...startAtMs };
    }
    case "signal": {
      const { invocationId, signal, result } = command;
      const sender = `${before.acceptance.id}.${before.acceptance.nonce}.`;
      return { kind: "signal", invocationId, signal, result, senderKey: sender + sortable(index) };
    }
    case "complete-awakeable":
    case "attach":
    case "get-output":
      return command;
    case "get-promise":
      // A promise that was completed before the commit has its result in the segment itself.
      return isCompletionOf(segment.entries[at + 1], command.completionId) ? undefined : command;
    case "complete-promise":
      return { ...command, by: `${before.acceptance.id}.${before.acceptance.nonce}.${index}` };
    case "get-state":
    case "get-state-keys":
    case "read-state":
    case "read-state-keys":
    case "change-state":
    case "peek-promise":
    case "input":
    case "output":
    case "run":
    case "sleep":
      return undefined;
  }
}

/** Texts that sort as their numbers do: the letter before a longer number says how many digits it has. */
function sortable(index: number): string {
  const digits = String(index);
  return digits.length === 1 ? digits : String.fromCharCode(CODE_OF_A + digits.length - 2) + digits;
}

const CODE_OF_A = 97;

/**
 * True for effects that only request an answer, which a completed invocation does not need. A redo of such an effect
 * could reach a later life of the target.
 */
function onlyAsks({ kind }: Effect): boolean {
  return kind === "attach" || kind === "get-output" || kind === "get-promise";
}

function isCompletionOf(following: Entry | undefined, completionId: number): boolean {
  return (
    following?.kind === "notification" && "completionId" in following.id && following.id.completionId === completionId
  );
}

/** The engine writes the child's id directly after the command that creates the child, as the reference server does. */
function acceptChild(child: ChildRequest, { entries, attempt }: Segment, at: number, commandIndex: number) {
  const following = entries[at + 1];
  if (following?.kind !== "notification" || following.invocationId === undefined) {
    throw new Error("A call in a segment is not followed by the id of its child");
  }
  const { invocationId, childTypes: types } = following;
  const childId = invocationId as InvocationId;
  return { kind: "accept-child", child, childId, types, attempt: attempt?.number ?? 0, commandIndex } as const;
}

function finalEffects(
  { acceptance, journal }: Invocation,
  { consumed, entries, writtenAtMs }: Segment,
  after: { readonly result: Result; readonly killed: boolean },
): Effect[] {
  const { result, killed } = after;
  const effects: Effect[] = [];
  const { source } = acceptance;
  if (source.kind === "call") {
    const { callerId, callerNonce, completionId } = source;
    effects.push({ kind: "deliver", callerId, callerNonce, completionId, result });
  }
  effects.push({ kind: "answer-sinks", result });
  if (source.kind === "schedule") {
    const { schedule, scheduleId, run } = source;
    const outcome = outcomeOf(after, [...journal.entries, ...consumed.map(({ entry }) => entry), ...entries]);
    effects.push({ kind: "note-run", schedule, scheduleId, run, outcome, endedAtMs: writtenAtMs });
  }
  if (killed) {
    const { id: callerId, nonce: callerNonce } = acceptance;
    for (const { childId, completionId } of openCalls(journal))
      effects.push({ kind: "kill-child", childId: childId as InvocationId, callerId, callerNonce, completionId });
  }
  return effects;
}
