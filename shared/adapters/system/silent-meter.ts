/** A meter that keeps nothing: for processes that live too short to be asked for their measures. */
import type { Meter } from "../../engine/ports/log.ts";

export const silentMeter: Meter = {
  count: () => undefined,
  observe: () => undefined,
  gauge: () => undefined,
};
