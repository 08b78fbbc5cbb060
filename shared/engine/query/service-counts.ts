/** Counts the open invocations of each service in a walk over the open index: all of them, those that fail, those that are paused. */
import type { Presented } from "../../core/query/status-words.ts";

export interface OpenOfService {
  readonly open: number;
  /** Those whose last attempt failed, and that are tried again. */
  readonly failing: number;
  readonly paused: number;
}

/** Only services that were registered have invocations, so the registry bounds the number of counts. */
export class ServiceCounts {
  readonly all = new Map<string, OpenOfService>();

  add(service: string, status: Presented): void {
    const { open, failing, paused } = this.all.get(service) ?? { open: 0, failing: 0, paused: 0 };
    this.all.set(service, {
      open: open + 1,
      failing: failing + (status === "backing-off" ? 1 : 0),
      paused: paused + (status === "paused" ? 1 : 0),
    });
  }
}
