/** The readings of a gauge that is set for all its labels at once, in a form that tests compare. */
import type { RecordingMeter } from "../../recording-log.ts";

/** @returns the readings that are not zero, by the values of their labels */
export function readingsOf(
  { meter }: { readonly meter: RecordingMeter },
  name = "open_invocations",
): Record<string, number> {
  const some = (meter.standing.get(name) ?? []).filter(({ value }) => value !== 0);
  return Object.fromEntries(some.map(({ labels, value }) => [Object.values(labels).join(" "), value]));
}
