/** The settings that the use cases read; `config` fills them, tests shorten them. */
import type { EffectiveSettings } from "../core/model/service.ts";

export interface EngineSettings {
  /** How long a driver holds an invocation without renewing. */
  readonly leaseMs: number;
  /** Retries due within this time wait in the driver; later ones park. */
  readonly waitInDriverMaxMs: number;
  /** A wake further away than this goes to the timers, a nearer one to the queue as a delayed message. */
  readonly queueDelayMaxMs: number;
  /** The largest message a deployment may send (RT0003). */
  readonly messageSizeMaxBytes: number;
  /** A deployment that has accepted an attempt and sent nothing for so long is shown as silent. */
  readonly silentAfterMs: number;
  /** What handlers get that set nothing themselves. */
  readonly defaults: EffectiveSettings;
  /** Upper bounds; absent is unbounded. */
  readonly journalRetentionMaxMs?: number;
  /** Put before every partition key, so that environments can share a table. */
  readonly keyPrefix: string;
  /** Sent to deployments as x-restate-cluster-name. */
  readonly clusterName: string;
  /**
   * Set where one process owns the store alone: holds whose token does not begin with this belonged to a dead
   * process and count as expired at once. Absent where drivers share a table.
   */
  readonly soleOwner?: string;
}
