/** Builds the engine of a process from its ports. */
import { readSettings } from "../../../shared/config/settings.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import type { DriveSlots } from "../../../shared/engine/admission/worker-slots.ts";
import { ActiveInvocations } from "../../../shared/engine/local/active-invocations.ts";
import { OpenStreams } from "../../../shared/engine/local/open-streams.ts";
import { createStoredRegistry } from "../../../shared/engine/register/stored-registry.ts";
import { engineSettingsOf, soleOwner } from "../../../shared/wiring/engine-settings-of.ts";
import { SHARED } from "../../harness/engine/base-settings.ts";
import { silentLog, silentMeter } from "../../recording-log.ts";
import { SeededIdSource } from "../seeded-id-source.ts";

/** Retentions longer than a day, so that the judge finds results and states after a message that is a day late. */
const KEPT = {
  "default-journal-retention": "3d",
  "default-idempotency-retention": "3d",
  "default-workflow-completion-retention": "3d",
};
/** With this delay of the queue, a sleep of just over half a minute uses the timers, so no scenario needs a long sleep. */
const { settings } = readSettings({ environment: {}, flags: { "worker.queue-delay": "30s", ...KEPT } });

/** How often a process that owns its store deletes expired items. */
export const CLEANUP_MS = settings["worker.cleanup-interval"];

/** No handler counts as quiet, so that every exchange stays open. */
class NoneQuiet extends OpenStreams {
  override isQuiet(): boolean {
    return false;
  }
}

export type Parts = Pick<
  Engine,
  "clock" | "table" | "meta" | "queue" | "timers" | "endpoints" | "slices" | "schedules"
>;

/**
 * Slots without a bound. Only a process that owns its store takes slots: one for each send that it drives at once and does not
 * leave to the queue.
 */
const ENDLESS: DriveSlots = { take: () => () => undefined, lastMoveOf: () => 0 };

export function compose(parts: Parts, owner: string, isSoleOwner: boolean): Engine {
  const engineSettings = engineSettingsOf(settings, {
    ownership: isSoleOwner ? soleOwner(owner) : SHARED,
    indexShards: 1,
  });
  return {
    ...parts,
    registry: createStoredRegistry({ meta: parts.meta, clock: parts.clock, settings: engineSettings }),
    ids: new SeededIdSource(owner),
    log: silentLog,
    meter: silentMeter,
    activeInvocations: Object.assign(new ActiveInvocations(parts.clock, owner), {
      streams: new NoneQuiet(),
      slots: ENDLESS,
    }),
    bulkheads: newBulkheads(parts.clock),
    settings: engineSettings,
  };
}
