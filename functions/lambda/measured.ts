/** What is told of an event goes with it: its lines name it, and its metrics leave before the function is frozen behind its answer. */
import type { Aws } from "../../shared/wiring/aws.ts";
import type { LambdaContext } from "./time-left.ts";

type Handler<Event, Answer> = (event: Event, context: LambdaContext) => Promise<Answer>;

export function measured<Event, Answer>(aws: Aws, handler: Handler<Event, Answer>): Handler<Event, Answer> {
  return async (event, context) => {
    aws.tellRequest?.(context.awsRequestId);
    try {
      return await handler(event, context);
    } finally {
      aws.flushMetrics?.();
    }
  };
}
