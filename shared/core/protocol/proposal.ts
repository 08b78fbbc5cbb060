/** Converts a run's proposal into the completion for the journal. */
import { decode, type ElementBudget } from "../model/proto3-decode.ts";
import { encode } from "../model/proto3-encode.ts";
import { RawProposalMessage, RawRunCompletionMessage } from "./control-messages.ts";
import { messageFrame } from "./frame.ts";
import { NOTIFICATIONS, NotificationMessage } from "./notifications.ts";
import { FailureMessage } from "./wire-values.ts";
import type { ProtocolVersion } from "./version.ts";

export interface ProposedCompletion {
  readonly completionId: number;
  readonly failed: boolean;
  readonly frame: Uint8Array;
}

/** @returns undefined if the proposal has no result. @throws Proto3Error */
export function completionOfProposal(
  payload: Uint8Array,
  version: ProtocolVersion,
  budget?: ElementBudget,
): ProposedCompletion | undefined {
  const { resultCompletionId: completionId, value, failure } = decode(RawProposalMessage, payload);
  if (value !== undefined) {
    const frame = messageFrame(NOTIFICATIONS.RunCompletion, NotificationMessage, {
      completionId,
      value: { content: value },
    });
    return { completionId, failed: false, frame };
  }
  if (failure === undefined) return undefined;
  const known = decode(FailureMessage, failure, budget);
  // A failure keeps its bytes, except for V5, which must not receive metadata.
  const passed =
    version >= 6 || known.metadata.length === 0 ? failure : encode(FailureMessage, { ...known, metadata: [] });
  const frame = messageFrame(NOTIFICATIONS.RunCompletion, RawRunCompletionMessage, { completionId, failure: passed });
  return { completionId, failed: true, frame };
}
