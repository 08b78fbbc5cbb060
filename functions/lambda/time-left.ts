/** How long a function may go on with one event. */
import type { Aws } from "../../shared/wiring/aws.ts";

/** What of Lambda's context matters here. */
export interface LambdaContext {
  /** As Lambda names the call in lines of its own, such as the one that tells of a time-out. */
  readonly awsRequestId?: string;
  getRemainingTimeInMillis(): number;
}

/**
 * The moment at which drivers have to stop.
 * @param mostMs less than the function has, where whoever waits for the reply waits no longer
 */
export function timeIsUpAtMs({ engine, settings }: Aws, context: LambdaContext, mostMs = Infinity): number {
  const leftMs = context.getRemainingTimeInMillis() - settings["aws.time-margin"];
  return engine.clock.nowMs() + Math.min(leftMs, mostMs);
}
