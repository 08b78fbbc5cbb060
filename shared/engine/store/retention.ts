/** How long a result and its journal are kept, fixed at acceptance by the settings of the handler, its service or the server. */
import type { EffectiveSettings } from "../../core/model/service.ts";
import type { HandlerType } from "../../core/model/target.ts";

/**
 * The journal never outlives the result; docs/configuration.md has the settings of the server (`default-journal-retention` and
 * the two beside it).
 * @param attachable whether the invocation can be found by a key, or by a caller that has its id
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
