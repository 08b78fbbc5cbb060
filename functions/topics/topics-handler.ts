/** The Lambda handler of the topics function: it accepts the records that an event source mapping delivers. */
import { withinTime } from "../../shared/engine/consume/time-budget.ts";
import type { Aws } from "../../shared/wiring/aws.ts";
import { deliverRecords, type KafkaEvent } from "../../shared/wiring/deliver-records.ts";
import { timeIsUpAtMs, type LambdaContext } from "../lambda/time-left.ts";

export interface CalledFunction extends LambdaContext {
  /** The ARN ends with the alias that the mapping calls. Lambda always sets this member. */
  readonly invokedFunctionArn?: string;
}

export type TopicsHandler = (event: KafkaEvent, context: CalledFunction) => Promise<{ readonly accepted: number }>;

export function topicsHandler(aws: Aws): TopicsHandler {
  const { engine } = aws;
  return (event, context) =>
    withinTime(engine, timeIsUpAtMs(aws, context), () =>
      deliverRecords(engine, event, context.invokedFunctionArn ?? ""),
    );
}
