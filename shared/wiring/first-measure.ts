/** Writes a first measure at deployment: an alarm would take the silence of a new environment for a dead sweeper. */
import { SystemClock } from "../adapters/system/clock.ts";
import { EmfMeter } from "../adapters/system/emf-meter.ts";
import { METRIC_FACTS } from "../config/metric-facts.ts";
import type { Clock } from "../engine/ports/clock.ts";

/**
 * Measures that no invocation is overdue, as each pass of the sweeper does; the first pass comes minutes later.
 * @param write takes one line; by default standard output
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
