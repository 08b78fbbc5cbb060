/** The settings of the use cases; `shared/config` sets them, tests shorten them. */
import type { EffectiveSettings } from "../../core/model/service.ts";
import type { KafkaCluster } from "../../core/registry/subscription.ts";
import type { ProtocolRange } from "../../core/protocol/version.ts";
import type { Ownership } from "./store-ownership.ts";

export interface EngineSettings {
  /** Whether this process has the journal store for itself. */
  readonly ownership: Ownership;
  /** How long a lease lasts without a renewal. */
  readonly leaseMs: number;
  /** The driver waits for retries that are due within this time; for later ones it parks the invocation. */
  readonly waitInDriverMaxMs: number;
  /** A wake further away than this becomes a timer, a nearer one a delayed message. */
  readonly queueDelayMaxMs: number;
  /** The largest message a deployment may send (RT0003). */
  readonly messageSizeMaxBytes: number;
  /** The Kafka clusters of the configuration. */
  readonly kafkaClusters: readonly KafkaCluster[];
  /** The largest value of a record of a topic that becomes the input of an invocation. */
  readonly recordSizeMaxBytes: number;
  /** The most bytes of state that a request contains; the deployment asks for the rest. 0 sends no state. */
  readonly eagerStateMaxBytes: number;
  /** If a deployment has accepted an attempt and sent nothing for this long, the API shows the deployment as silent. */
  readonly silentAfterMs: number;
  /** The sweeper looks once per interval at a parked invocation without a moment to wake at (I8). */
  readonly checkIntervalMs: number;
  /** False disables circuits: attempts follow their retry policies alone. */
  readonly opensCircuits: boolean;
  /**
   * The minimum age at which the sweeper looks at an invocation in the listing: by this age, the message of its acceptance has
   * been delivered, unless it was lost.
   */
  readonly listingAgeMinMs: number;
  /**
   * True keeps exchanges open over several segments if the deployment allows it: a handler goes on after a step without a
   * replay (ADR 0008).
   */
  readonly opensExchanges: boolean;
  /**
   * How long an open exchange is held while its handler only waits for something outside of this process. If infinite, only the
   * inactivity timeout counts. Finite if this process costs money while it waits.
   */
  readonly openWaitMs: number;
  /**
   * The spoken protocol versions. Versions below `deprecatedBelow` serve invocations that began with them, and take no new work
   * (RT0020).
   */
  readonly protocol: ProtocolRange & { readonly deprecatedBelow: number };
  /** The time from the cancel of an invocation whose deadline has passed to its kill. */
  readonly endGraceMs: number;
  /** The values of the settings that a handler does not set. */
  readonly defaults: EffectiveSettings;
  /** The upper bound of the retention of journals; unbounded if absent. */
  readonly journalRetentionMaxMs?: number;
  /** The prefix of every partition key, so that environments can share a table. */
  readonly keyPrefix: string;
  /** The number of partitions of each index (ADR 0033): 16 at most. It may grow, and must never shrink. */
  readonly indexShards: number;
  /** Sent to deployments as x-restate-cluster-name. */
  readonly clusterName: string;
}
