/** Writes a first metric when an environment is deployed: without metrics, the alarm for a dead sweeper would fire. */
import { SystemClock } from "../adapters/system/clock.ts";
import { EmfMeter } from "../adapters/system/emf-meter.ts";
import { METRIC_FACTS } from "../config/metric-facts.ts";
import type { Clock } from "../engine/ports/clock.ts";

/**
 * Records 0 as the age of the oldest overdue invocation. Each pass of the sweeper measures this age, but the first pass runs
 * minutes later.
 * @param write receives one line; standard output by default
 */
export function measureNothingOverdue(
  environment: string,
  write?: (line: string) => void,
  clock: Clock = new SystemClock(),
): void {
  const { namespace, dimension } = METRIC_FACTS;
  const meter = new EmfMeter({ namespace, dimensions: { [dimension]: environment }, clock, ...(write && { write }) });
  meter.gauge("oldest_overdue_seconds", 0);
  meter.flush();
}
