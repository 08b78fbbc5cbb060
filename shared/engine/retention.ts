/** How long a result and its journal are kept, fixed at acceptance (reference 7.7). */
import type { EffectiveSettings } from "../core/model/service.ts";

/** @param attachable whether the invocation can be found again by a key, or by the caller that got its id */
export function retentionOf(
  settings: EffectiveSettings,
  attachable: boolean,
): { completionRetentionMs: number; journalRetentionMs: number } {
  const { journalRetentionMs, idempotencyRetentionMs } = settings;
  const completionRetentionMs = attachable ? idempotencyRetentionMs : journalRetentionMs;
  return { completionRetentionMs, journalRetentionMs: Math.min(journalRetentionMs, completionRetentionMs) };
}
