/** Formats one invocation of a list for the admin API. */
import type { Failed } from "../../../core/query/cause.ts";
import { targetText } from "../../../core/model/target.ts";
import { type DetailedRow, errorOfRow } from "../../../engine/query/row-details.ts";
import type { InvocationSummaryBody } from "../../contract/invocations.ts";
import { momentText, present, written } from "../requests/json-members.ts";

export function summaryBody(summary: DetailedRow): InvocationSummaryBody {
  const { id, service, handler, key, scope, limitKey, status, createdAtMs, deploymentId, outcome, attempts } = summary;
  return {
    id,
    target: targetText(summary),
    target_service_name: service,
    ...present({ target_service_key: key, scope, limit_key: limitKey }),
    target_handler_name: handler,
    status,
    created_at: momentText(createdAtMs),
    ...present({
      pinned_deployment_id: deploymentId,
      completed_at: written(summary.endedAtMs, momentText),
      outcome,
      attempts,
      next_retry_at: written(summary.nextRetryAtMs, momentText),
      wake_at: written(summary.wakeAtMs, momentText),
      error: written(errorOfRow(summary), errorBody),
    }),
  };
}

const MESSAGE_MAX_CHARS = 300;

/** The message is cut, because handlers choose its length and a list shows many messages. */
export function errorBody({ code, message }: Failed): NonNullable<InvocationSummaryBody["error"]> {
  return { code, message: cut(message) };
}

function cut(message: string): string {
  return message.length <= MESSAGE_MAX_CHARS ? message : `${message.slice(0, MESSAGE_MAX_CHARS - 1)}…`;
}
