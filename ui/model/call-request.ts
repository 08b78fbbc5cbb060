/** The sample payload that the form for a call starts with, and the meaning of the answer. */
import type { HandlerBody, ServiceBody } from "../../shared/api/contract/services.ts";
import { stringifyExact } from "./exact-json.ts";
import { sampleInput } from "../../shared/api/wire/proposed-call.ts";

/** The sample payload, the same as in the call that the command proposes; no text for a type without a sample. */
export function firstText(handler: HandlerBody): string {
  return sampleInput(handler, stringifyExact) ?? "";
}

export function isRun(service: ServiceBody, handler: HandlerBody): boolean {
  return service.ty === "Workflow" && handler.ty === "Workflow";
}

/** The headers of an answer that say something about the call. */
export const SHOWN_HEADERS = [
  "x-restate-id",
  "content-type",
  "idempotency-expires",
  "x-restate-error-source",
  "retry-after",
] as const;

const TIMED_OUT = [502, 503, 504];

export interface AnswerMeaning {
  readonly words: string;
  readonly tone: "succeeded" | "failed" | "waiting";
}

/** The status for a call of a workflow that was run before, and for handlers that fail with it themselves. */
const CONFLICT = 409;

/**
 * @param source the header `x-restate-error-source`: whether the invocation failed, or the ingress refused the call
 * @param runsWorkflow whether the call was to run a workflow, which runs once per key
 */
export function meaningOf(
  status: number,
  source: string | undefined,
  hasId: boolean,
  runsWorkflow = false,
): AnswerMeaning {
  if (status === 202) return { words: "Accepted: the invocation runs, or waits for its start", tone: "waiting" };
  if (status < 300) return { words: "Succeeded", tone: "succeeded" };
  if (source === "invocation" && status === CONFLICT && runsWorkflow) {
    return {
      words: "The workflow of this key was run before, or its run failed with 409: its timeline shows which",
      tone: "failed",
    };
  }
  if (source === "invocation") return { words: "The invocation failed", tone: "failed" };
  if (TIMED_OUT.includes(status) && hasId) {
    return { words: "The request ended before the invocation, which goes on", tone: "waiting" };
  }
  return { words: "The call was refused", tone: "failed" };
}
