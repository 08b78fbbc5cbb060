/** What is measured before anything works: CloudWatch takes the silence of a new environment for that of a dead sweeper. */
import { SystemClock } from "../adapters/system/clock.ts";
import { EmfMeter } from "../adapters/system/emf-meter.ts";
import { METRIC_FACTS } from "../config/metric-facts.ts";
import type { Clock } from "../engine/ports/clock.ts";

/**
 * Tells that nothing is overdue, as the sweeper does at each pass, of which the first comes minutes later.
 * @param write takes one line; standard output unless told
 */
export function tellNothingOverdue(
  environment: string,
  write?: (line: string) => void,
  clock: Clock = new SystemClock(),
): void {
  const { namespace, dimension } = METRIC_FACTS;
  const meter = new EmfMeter({ namespace, dimensions: { [dimension]: environment }, clock, ...(write && { write }) });
  meter.gauge("oldest_overdue_seconds", 0);
  meter.flush();
}
