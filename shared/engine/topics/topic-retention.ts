/** How long the invocations of records are kept: as those of calls without a key, but at least a day. */
import type { EffectiveSettings } from "../../core/model/service.ts";
import type { HandlerType } from "../../core/model/target.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import { retentionOf } from "../store/retention.ts";

/**
 * A batch may come again until its position is durable, and a process that dies before may be away for long. Within a day the
 * bare end of the invocation still recognises its record; a run of a workflow keeps the retention of workflows.
 */
export function topicRetention(
  settings: EffectiveSettings,
  handlerType: HandlerType,
): { completionRetentionMs: number; journalRetentionMs: number } {
  const kept = retentionOf(settings, false, handlerType);
  if (handlerType === "workflow") return kept;
  return { ...kept, completionRetentionMs: Math.max(kept.completionRetentionMs, DAY_MS) };
}
