/** The Lambda handler of the worker: it handles the messages of a batch, as far as the time of the function allows. */
import { withinTime } from "../../shared/engine/consume/time-budget.ts";
import type { Aws } from "../../shared/wiring/aws.ts";
import { workEvent, type WorkAnswer, type WorkEvent } from "../../shared/wiring/work-event.ts";
import { timeIsUpAtMs, type LambdaContext } from "../lambda/time-left.ts";

export type WorkerHandler = (event: WorkEvent, context: LambdaContext) => Promise<WorkAnswer>;

export function workerHandler(aws: Aws): WorkerHandler {
  const slowQueueUrl = aws.settings["aws.slow-queue-url"];
  return (event, context) =>
    withinTime(aws.engine, timeIsUpAtMs(aws, context), () => workEvent(aws.engine, event, slowQueueUrl));
}
