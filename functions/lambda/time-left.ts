/** How long a function may work on one event. */
import type { Aws } from "../../shared/wiring/aws.ts";

/** The fields of the Lambda context that this module uses. */
export interface LambdaContext {
  /** The id that Lambda writes into its own log lines, such as those about time-outs. */
  readonly awsRequestId?: string;
  getRemainingTimeInMillis(): number;
}

/**
 * The moment at which drivers must stop.
 * @param mostMs an upper limit, for a caller that stops waiting before the function's own time is over
 */
export function timeIsUpAtMs({ engine, settings }: Aws, context: LambdaContext, mostMs = Infinity): number {
  const leftMs = context.getRemainingTimeInMillis() - settings["aws.time-margin"];
  return engine.clock.nowMs() + Math.min(leftMs, mostMs);
}
