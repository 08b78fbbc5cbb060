/** Decodes the last message of an attempt, if it has content: the await of a suspension, or the details of an error. */
import { decode, type ElementBudget } from "../model/proto3-decode.ts";
import { awaitOfNode } from "./await-codec.ts";
import type { Await } from "../model/await-tree.ts";
import { ErrorMessage, SuspensionListsMessage, SuspensionTreeMessage } from "./control-messages.ts";
import type { AttemptError, ReportedCommand } from "./received.ts";
import type { ProtocolVersion } from "./version.ts";

/** @returns undefined if a V7 suspension has no tree @throws Proto3Error if the payload is unreadable or exceeds `budget` */
export function awaitOfSuspension(
  payload: Uint8Array,
  version: ProtocolVersion,
  budget?: ElementBudget,
): Await | undefined {
  if (version >= 7) {
    const tree = decode(SuspensionTreeMessage, payload, budget).awaitingOn;
    return tree === undefined ? undefined : awaitOfNode(tree);
  }
  const lists = decode(SuspensionListsMessage, payload, budget);
  return {
    completions: lists.waitingCompletions,
    signals: lists.waitingSignals,
    namedSignals: lists.waitingNamedSignals,
    nested: [],
    combinator: "first-completed",
  };
}

/** @throws Proto3Error if the payload is unreadable */
export function endingOfError(payload: Uint8Array): AttemptError {
  const error = decode(ErrorMessage, payload);
  return {
    kind: "error",
    code: error.code,
    message: error.message,
    ...(error.stacktrace === "" ? {} : { stacktrace: error.stacktrace }),
    related: relatedOf(error.relatedCommandIndex, error.relatedCommandName, error.relatedCommandType),
    ...(error.nextRetryDelayMs === undefined ? {} : { nextRetryDelayMs: clamped(error.nextRetryDelayMs) }),
    behavior: error.behavior === 1 ? "pause" : error.behavior === 2 ? "fail" : "retry",
  };
}

function relatedOf(index: number | undefined, name: string | undefined, type: number | undefined): ReportedCommand {
  return {
    ...(index === undefined ? {} : { commandIndex: index }),
    ...(name === undefined ? {} : { commandName: name }),
    ...(type === undefined ? {} : { commandType: type }),
  };
}

/** Clamps a delay that is too large for a number, because the error with this delay must not get lost. */
function clamped(delayMs: bigint): number {
  return Number(delayMs > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : delayMs);
}
