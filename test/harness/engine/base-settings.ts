/** The settings that the stages of the engine start from. */
import { WHOLE_RANGE } from "../../../shared/core/protocol/version.ts";
import type { EngineSettings } from "../../../shared/engine/ports/engine-settings.ts";
import type { SharedStore } from "../../../shared/engine/ports/store-ownership.ts";

/** A store that processes share, without a slow lane. */
export const SHARED: SharedStore = { kind: "shared", slowFromMs: Infinity, slowServices: "here" };

export const BASE_SETTINGS: Omit<EngineSettings, "messageSizeMaxBytes" | "silentAfterMs" | "defaults" | "clusterName"> =
  {
    ownership: SHARED,
    leaseMs: 10_000,
    waitInDriverMaxMs: 1_000,
    queueDelayMaxMs: 900_000,
    kafkaClusters: [],
    recordSizeMaxBytes: 32 << 20,
    eagerStateMaxBytes: 1 << 20,
    checkIntervalMs: 600_000,
    opensCircuits: true,
    listingAgeMinMs: 300_000,
    opensExchanges: false,
    openWaitMs: Infinity,
    endGraceMs: 30_000,
    protocol: { ...WHOLE_RANGE, deprecatedBelow: 0 },
    keyPrefix: "",
    indexShards: 1,
  };
