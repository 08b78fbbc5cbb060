/** How long the invocations of records are kept: as long as those of calls without an idempotency key, but at least a day. */
import type { EffectiveSettings } from "../../core/model/service.ts";
import type { HandlerType } from "../../core/model/target.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import { retentionOf } from "../store/retention.ts";

/**
 * A batch may come again until its position is durable, and a process that dies before that write may stay down for
 * long. For a day, the kept end of the invocation prevents a second acceptance of its record; a run of a workflow keeps
 * the retention of workflows.
 */
export function topicRetention(
  settings: EffectiveSettings,
  handlerType: HandlerType,
): { completionRetentionMs: number; journalRetentionMs: number } {
  const kept = retentionOf(settings, false, handlerType);
  if (handlerType === "workflow") return kept;
  return { ...kept, completionRetentionMs: Math.max(kept.completionRetentionMs, DAY_MS) };
}
