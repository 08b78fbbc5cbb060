/** The settings that the use cases read; `config` fills them, tests shorten them. */
import type { EffectiveSettings } from "../../core/model/service.ts";
import type { ProtocolRange } from "../../core/protocol/version.ts";

/** Old enough that its own message must have come. */
const LISTING_AGE_MIN_MS = 300_000;
const CHECK_INTERVAL_MS = 600_000;

export interface EngineSettings {
  /** How long a driver holds an invocation without renewing. */
  readonly leaseMs: number;
  /** Retries due within this time wait in the driver; later ones park. */
  readonly waitInDriverMaxMs: number;
  /** A wake further away than this goes to the timers, a nearer one to the queue as a delayed message. */
  readonly queueDelayMaxMs: number;
  /** The largest message a deployment may send (RT0003). */
  readonly messageSizeMaxBytes: number;
  /** So much state travels with a request, the rest is asked for; 0 sends none. One MiB unless told. */
  readonly eagerStateMaxBytes?: number;
  /** A deployment that has accepted an attempt and sent nothing for so long is shown as silent. */
  readonly silentAfterMs: number;
  /** A parked invocation that no clock wakes is looked at once per interval (I8); ten minutes unless told. */
  readonly checkIntervalMs?: number;
  /** False lets attempts follow their retry policies alone; true by default. */
  readonly opensCircuits?: boolean;
  /** The sweeper looks at what was accepted this long ago and is driven by nobody; five minutes unless told. */
  readonly listingAgeMinMs?: number;
  /**
   * An attempt that is cut for time after at least so long gives its handler a note as slow, and one that has been open for
   * so long a note as long, for all processes on the table. Absent where one process owns the store alone.
   */
  readonly slowFromMs?: number;
  /** Handlers known as slow are left to the queue: set where drivers have little time, and workers have more. */
  readonly leavesSlowToQueue?: boolean;
  /** True for a driver of the main lane beside a slow lane: it leaves slow and long services to the slow lane. */
  readonly hasSlowLane?: boolean;
  /**
   * Narrows the protocol versions that are spoken; all that are known unless given. Versions below `deprecatedBelow` go on
   * with what began with them, and take nothing new (RT0020).
   */
  readonly protocol?: ProtocolRange & { readonly deprecatedBelow?: number };
  /** What handlers get that set nothing themselves. */
  readonly defaults: EffectiveSettings;
  /** Upper bounds; absent is unbounded. */
  readonly journalRetentionMaxMs?: number;
  /** Put before every partition key, so that environments can share a table. */
  readonly keyPrefix: string;
  /** Both indexes are spread over as many partitions (ADR 0033); one unless told, 16 at most, and never less than before. */
  readonly indexShards?: number;
  /**
   * What is open lives at least so long without any sweeper, less two days; 16 days unless told, and two days in a process
   * that owns its store, where nothing is deleted before the sweeper has extended it (`keep.ts`).
   */
  readonly openKeptMs?: number;
  /** Sent to deployments as x-restate-cluster-name. */
  readonly clusterName: string;
  /**
   * Set where one process owns the store alone: holds whose token does not begin with this belonged to a dead
   * process and count as expired at once. Absent where drivers share a table.
   */
  readonly exclusiveOwnerPrefix?: string;
  /**
   * The acceptance of a call waits about so long for its first segment, to be written with it. Set where that saves a
   * write; absent where a call must be known to others before its handler runs, as where drivers share a table.
   */
  readonly acceptanceWaitMs?: number;
}

/** Each parked invocation is looked at once per interval, even if nothing wakes it (I8). */
export function checkIntervalMs(settings: Pick<EngineSettings, "checkIntervalMs">): number {
  return settings.checkIntervalMs ?? CHECK_INTERVAL_MS;
}

/** How old what was accepted is when the sweeper comes to it in the listing, at least. */
export function listingAgeMinMs(settings: Pick<EngineSettings, "listingAgeMinMs">): number {
  return settings.listingAgeMinMs ?? LISTING_AGE_MIN_MS;
}
