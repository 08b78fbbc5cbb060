/** Builds the engine of a process from its ports. */
import { readSettings } from "../../../shared/config/settings.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import type { DriveSlots } from "../../../shared/engine/admission/worker-slots.ts";
import { ActiveInvocations } from "../../../shared/engine/local/active-invocations.ts";
import { createStoredRegistry } from "../../../shared/engine/register/stored-registry.ts";
import { engineSettingsOf, soleOwner } from "../../../shared/wiring/engine-settings-of.ts";
import { SHARED } from "../../harness/engine/base-settings.ts";
import { silentLog, silentMeter } from "../../recording-log.ts";
import { SeededIdSource } from "../seeded-id-source.ts";

/** The settings of every process of the simulation. */
export const { settings: SETTINGS } = readSettings({
  environment: {},
  flags: {
    "worker.queue-delay": "30s",
    "worker.check-interval": "2m",
    "sweeper.listing-age": "1m",
    "default-retry-policy.initial-interval": "200ms",
    "default-retry-policy.max-interval": "5s",
  },
});

/** The time after which a driver that does not renew its lease counts as dead. */
export const LEASE_MS = SETTINGS["worker.lease"];

type Parts = Pick<Engine, "clock" | "table" | "meta" | "queue" | "timers" | "endpoints">;

/** Slots without a bound. Only a process that owns its store takes slots: one for each send that it drives immediately. */
const ENDLESS: DriveSlots = { take: () => () => undefined, lastMoveOf: () => 0 };

export function compose(parts: Parts, seed: string, owner: string, isSoleOwner: boolean): Engine {
  const engineSettings = engineSettingsOf(SETTINGS, {
    ownership: isSoleOwner ? soleOwner(owner) : SHARED,
    indexShards: 1,
  });
  return {
    ...parts,
    registry: createStoredRegistry({ meta: parts.meta, clock: parts.clock, settings: engineSettings }),
    ids: new SeededIdSource(seed),
    log: silentLog,
    meter: silentMeter,
    activeInvocations: Object.assign(new ActiveInvocations(parts.clock, owner), { slots: ENDLESS }),
    bulkheads: newBulkheads(parts.clock),
    settings: engineSettings,
  };
}
