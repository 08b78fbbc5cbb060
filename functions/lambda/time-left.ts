/** How long a function may work on one event. */
import type { Aws } from "../../shared/wiring/aws.ts";

/** Drivers stop this long before the end of their function's time. */
export const TIME_MARGIN_MS = 3_000;

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
export function timeIsUpAtMs({ engine }: Aws, context: LambdaContext, mostMs = Infinity): number {
  const leftMs = context.getRemainingTimeInMillis() - TIME_MARGIN_MS;
  return engine.clock.nowMs() + Math.min(leftMs, mostMs);
}
