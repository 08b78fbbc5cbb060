/** The use cases of the engine that the ingress calls, as one record, so that a test can put others in their place. */
import { idempotentId, workflowId } from "../../engine/accept/invocation-ids.ts";
import { completeAwakeable } from "../../engine/effects/perform.ts";
import { attach, output } from "../../engine/ingress/attach.ts";
import { call } from "../../engine/ingress/call.ts";
import { mayAskAbout, ownIdempotentId } from "../../engine/ingress/ownership.ts";
import { send } from "../../engine/ingress/send.ts";

export const USE_CASES = {
  call,
  send,
  attach,
  output,
  idempotentId,
  ownIdempotentId,
  mayAskAbout,
  workflowId,
  completeAwakeable,
};

export type IngressUseCases = typeof USE_CASES;
