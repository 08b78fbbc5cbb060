/** Derives the engine's settings from the configuration, and warns of a setting that does not take effect as written. */
import type { Settings } from "../config/settings-table.ts";
import { CodedError, notice } from "../core/errors/coded-error.ts";
import type { EngineSettings } from "../engine/ports/engine-settings.ts";
import type { SoleOwner } from "../engine/ports/store-ownership.ts";

/** About the duration of two disk writes: a handler that only returns a result usually ends within this time. */
const ACCEPTANCE_WAIT_MS = 25;
/** A deployment that has sent nothing for this long since the start of an attempt counts as silent. */
const SILENT_AFTER_MS = 5_000;

/** @param tokenPrefix the prefix of this process's tokens */
export function soleOwner(tokenPrefix: string): SoleOwner {
  return { kind: "sole", tokenPrefix, acceptanceWaitMs: ACCEPTANCE_WAIT_MS };
}

/** The settings of the two platforms, which differ in the ownership of the store and in the number of shards of the indexes. */
export type Platform = Pick<EngineSettings, "ownership" | "indexShards">;

/** @throws CodedError RT0002 if the minimum protocol version is above the maximum */
export function engineSettingsOf(settings: Settings, platform: Platform): EngineSettings {
  const maxAttempts = settings["default-retry-policy.max-attempts"];
  const journalRetentionMaxMs = settings["max-journal-retention"];
  // A Lambda function costs money while it waits, so it keeps an exchange open during a wait only if the setting says so.
  const openWaitMs = settings["worker.invoker.open-wait"] ?? (platform.ownership.kind === "sole" ? Infinity : 0);
  return {
    ...platform,
    leaseMs: settings["worker.lease"],
    waitInDriverMaxMs: settings["worker.wait-in-driver"],
    queueDelayMaxMs: settings["worker.queue-delay"],
    messageSizeMaxBytes: settings["worker.invoker.message-size-limit"],
    kafkaClusters: (settings["ingress.kafka-clusters"] ?? []).map((one) => ({
      ...one,
      createdAtMs: 0,
      configured: true,
    })),
    recordSizeMaxBytes: settings["ingress.request-size-limit"],
    eagerStateMaxBytes: settings["worker.invoker.disable-eager-state"]
      ? 0
      : settings["worker.invoker.eager-state-size-limit"],
    silentAfterMs: SILENT_AFTER_MS,
    checkIntervalMs: settings["worker.check-interval"],
    opensCircuits: settings["worker.invoker.circuit-breaker"],
    listingAgeMinMs: settings["sweeper.listing-age"],
    protocol: protocolOf(settings),
    endGraceMs: settings["deadline-grace"],
    defaults: {
      abortTimeoutMs: settings["worker.invoker.abort-timeout"],
      inactivityTimeoutMs: settings["worker.invoker.inactivity-timeout"],
      journalRetentionMs: settings["default-journal-retention"],
      idempotencyRetentionMs: settings["default-idempotency-retention"],
      workflowRetentionMs: settings["default-workflow-completion-retention"],
      lazyState: false,
      public: true,
      retry: {
        initialIntervalMs: settings["default-retry-policy.initial-interval"],
        maxIntervalMs: settings["default-retry-policy.max-interval"],
        factor: settings["default-retry-policy.exponentiation-factor"],
        onMaxAttempts: settings["default-retry-policy.on-max-attempts"],
        ...(maxAttempts === undefined ? {} : { maxAttempts }),
      },
    },
    ...(journalRetentionMaxMs === undefined ? {} : { journalRetentionMaxMs }),
    opensExchanges: settings["worker.invoker.open-exchanges"],
    openWaitMs,
    keyPrefix: "",
    clusterName: settings["cluster-name"],
  };
}

function protocolOf(settings: Settings): EngineSettings["protocol"] {
  const [min, max] = [settings["worker.invoker.min-protocol-version"], settings["worker.invoker.max-protocol-version"]];
  if (min <= max) {
    return { min, max, deprecatedBelow: settings["worker.invoker.deprecated-below-protocol-version"] };
  }
  const names = "worker.invoker.min-protocol-version and worker.invoker.max-protocol-version";
  throw new CodedError("RT0002", `${names}: ${min} is above ${max}`);
}

/** @returns the warnings, each a whole sentence after its code */
export function settingsWarnings(settings: Settings): readonly string[] {
  const asked = settings["default-journal-retention"];
  const most = settings["max-journal-retention"];
  if (most === undefined || asked <= most) return [];
  const { code, message } = notice(
    "RT0022",
    `default-journal-retention (${asked} ms) is cut to max-journal-retention (${most} ms).`,
  );
  return [`[${code}] ${message}`];
}
