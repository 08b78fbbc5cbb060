/** Metrics leave with the event that they belong to: behind its answer a function is frozen. */
import type { Aws } from "../../shared/wiring/aws.ts";
import type { LambdaContext } from "./time-left.ts";

type Handler<Event, Answer> = (event: Event, context: LambdaContext) => Promise<Answer>;

export function measured<Event, Answer>(aws: Aws, handler: Handler<Event, Answer>): Handler<Event, Answer> {
  return async (event, context) => {
    try {
      return await handler(event, context);
    } finally {
      aws.flushMetrics?.();
    }
  };
}
