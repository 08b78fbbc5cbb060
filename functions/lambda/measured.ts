/**
 * Wraps a handler: its log lines carry the Lambda request id, and its metrics are flushed before Lambda freezes the
 * process.
 */
import type { Aws } from "../../shared/wiring/aws.ts";
import type { LambdaContext } from "./time-left.ts";

type Handler<Event, Answer> = (event: Event, context: LambdaContext) => Promise<Answer>;

export function measured<Event, Answer>(aws: Aws, handler: Handler<Event, Answer>): Handler<Event, Answer> {
  return async (event, context) => {
    aws.tagLogs?.(context.awsRequestId);
    try {
      return await handler(event, context);
    } finally {
      aws.flushMetrics?.();
    }
  };
}
