/** The settings of the use cases; `shared/config` sets them, tests shorten them. */
import type { EffectiveSettings } from "../../core/model/service.ts";
import type { KafkaCluster } from "../../core/registry/subscription.ts";
import type { ProtocolRange } from "../../core/protocol/version.ts";

/** By this age of an invocation, the message of its acceptance has been delivered, unless it was lost. */
const LISTING_AGE_MIN_MS = 300_000;
const CHECK_INTERVAL_MS = 600_000;
const RECORD_SIZE_MAX_BYTES = 32 * 1024 * 1024;

export interface EngineSettings {
  /** How long a lease lasts without a renewal. */
  readonly leaseMs: number;
  /** The driver waits for retries that are due within this time; for later ones it parks the invocation. */
  readonly waitInDriverMaxMs: number;
  /** A wake further away than this becomes a timer, a nearer one a delayed message. */
  readonly queueDelayMaxMs: number;
  /** The largest message a deployment may send (RT0003). */
  readonly messageSizeMaxBytes: number;
  /** The Kafka clusters of the configuration. */
  readonly kafkaClusters?: readonly KafkaCluster[];
  /** The largest value of a record of a topic; 32 MiB by default. */
  readonly recordSizeMaxBytes?: number;
  /** The most bytes of state that a request contains; the deployment asks for the rest. 0 sends no state. 1 MiB by default. */
  readonly eagerStateMaxBytes?: number;
  /** If a deployment has accepted an attempt and sent nothing for this long, the API shows the deployment as silent. */
  readonly silentAfterMs: number;
  /** The sweeper looks once per interval at a parked invocation without a moment to wake at (I8). Ten minutes by default. */
  readonly checkIntervalMs?: number;
  /** False disables circuits: attempts follow their retry policies alone. True by default. */
  readonly opensCircuits?: boolean;
  /** The minimum age at which the sweeper looks at an invocation in the listing. Five minutes by default. */
  readonly listingAgeMinMs?: number;
  /**
   * An attempt that is cut for time after at least this long gives its handler a slow note; an attempt that was open for this
   * long gives it a long note. All processes on the table read the notes. Absent if one process owns the store alone.
   */
  readonly slowFromMs?: number;
  /** True leaves handlers with a slow note to the queue: for drivers that have less time than workers. */
  readonly leavesSlowToQueue?: boolean;
  /** True for a driver of the main lane if there is a slow lane: the driver leaves slow and long services to the slow lane. */
  readonly hasSlowLane?: boolean;
  /**
   * True keeps exchanges open over several segments if the deployment allows it: a handler goes on after a step without a
   * replay (ADR 0008). False by default.
   */
  readonly opensExchanges?: boolean;
  /**
   * How long an open exchange is held while its handler only waits for something outside of this process. Without this
   * setting, only the inactivity timeout counts. Set if this process costs money while it waits.
   */
  readonly openWaitMs?: number;
  /**
   * Narrows the range of spoken protocol versions; all known versions by default. Versions below `deprecatedBelow` serve
   * invocations that began with them, and take no new work (RT0020).
   */
  readonly protocol?: ProtocolRange & { readonly deprecatedBelow?: number };
  /** The values of the settings that a handler does not set. */
  readonly defaults: EffectiveSettings;
  /** The upper bound of the retention of journals; unbounded if absent. */
  readonly journalRetentionMaxMs?: number;
  /** The prefix of every partition key, so that environments can share a table. */
  readonly keyPrefix: string;
  /** The number of partitions of each index (ADR 0033): 1 by default, 16 at most. It may grow, and must never shrink. */
  readonly indexShards?: number;
  /**
   * How long an invocation may stay open after its items were written, unless the sweeper extends the time to live of the items.
   * The sweeper does so long before that time ends. If the sweeper stops, an open invocation therefore has at least this time
   * minus two days left. 16 days by default. Two days in a process that owns its store, because such a process deletes no item
   * before its sweeper has extended the time to live of the items of open invocations (`ttl.ts`).
   */
  readonly openKeptMs?: number;
  /** Sent to deployments as x-restate-cluster-name. */
  readonly clusterName: string;
  /**
   * Set if one process owns the store alone: a lease whose token does not begin with this prefix belonged to a dead process,
   * and counts as over at once. Absent if drivers share a table.
   */
  readonly exclusiveOwnerPrefix?: string;
  /**
   * How long the put of a call's acceptance is delayed, so that the call's first segment can be written with it. Set if that
   * saves a write. Absent if drivers share a table, because other drivers must find a call before its handler runs.
   */
  readonly acceptanceWaitMs?: number;
}

/** The interval at which the sweeper looks at each parked invocation, even if no wake comes (I8). */
export function checkIntervalMs(settings: Pick<EngineSettings, "checkIntervalMs">): number {
  return settings.checkIntervalMs ?? CHECK_INTERVAL_MS;
}

/** The minimum age at which the sweeper looks at an invocation in the listing. */
export function listingAgeMinMs(settings: Pick<EngineSettings, "listingAgeMinMs">): number {
  return settings.listingAgeMinMs ?? LISTING_AGE_MIN_MS;
}

/** The largest value of a record of a topic that becomes the input of an invocation. */
export function recordSizeMaxBytes(settings: Pick<EngineSettings, "recordSizeMaxBytes">): number {
  return settings.recordSizeMaxBytes ?? RECORD_SIZE_MAX_BYTES;
}
