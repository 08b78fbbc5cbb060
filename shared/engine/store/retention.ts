/** Decides at acceptance how long the result and the journal are kept, by the settings of handler, service and server. */
import type { EffectiveSettings } from "../../core/model/service.ts";
import type { HandlerType } from "../../core/model/target.ts";

/**
 * The journal is never kept longer than the result. docs/configuration.md describes the settings of the server
 * (`default-journal-retention`, `default-idempotency-retention`, `default-workflow-completion-retention`).
 * @param attachable true if the invocation has an idempotency key or came through the ingress, so that callers can find it
 */
export function retentionOf(
  { journalRetentionMs, idempotencyRetentionMs, workflowRetentionMs }: EffectiveSettings,
  attachable: boolean,
  handlerType: HandlerType,
): { completionRetentionMs: number; journalRetentionMs: number } {
  const found = attachable ? idempotencyRetentionMs : journalRetentionMs;
  const completionRetentionMs = handlerType === "workflow" ? workflowRetentionMs : found;
  return { completionRetentionMs, journalRetentionMs: Math.min(journalRetentionMs, completionRetentionMs) };
}
