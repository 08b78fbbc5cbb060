/** A meter that keeps nothing, for processes too short-lived to expose metrics. */
import type { Meter } from "../../engine/ports/log.ts";

export const silentMeter: Meter = {
  isPriced: false,
  count: () => undefined,
  observe: () => undefined,
  gauge: () => undefined,
  gauges: () => undefined,
};
