/** The hardships of a wide seed: what the world does to the engine beside the faults of single calls. Each is drawn by itself. */
import type { Random } from "../random.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The share of wide seeds with each hardship, among those seeds whose world can have it. */
const EXPIRES_SHARE = 0.3;
const LAGS_SHARE = 0.3;
const INDEX_FAULTS_SHARE = 0.3;
const OFF_SHARE = 0.4;
const FULL_DISK_SHARE = 0.4;
const RESTORE_SHARE = 0.15;
const LATE_SWEEPER_SHARE = 0.4;
const GONE_SHARE = 0.2;
/** The share of index reads that get a fault of their own. */
const INDEX_FAULTS = [0.01, 0.1];
/** The times for which a machine is off; after some of them the items of an open invocation have expired. */
const OFF_MS = [2 * HOUR_MS, 1.2 * DAY_MS, 3 * DAY_MS, 9 * DAY_MS, 40 * DAY_MS];
/** The hardships come within this time, as the faults of single calls do. */
const WITHIN_MS = 60_000;
const FULL_DISK_MAX_MS = 100_000;
const GONE_MAX_MS = 60_000;
const RESTORED_AFTER_MS = [0, 1_200_000, 15 * HOUR_MS, 30 * HOUR_MS];

export interface Span {
  readonly fromMs: number;
  readonly forMs: number;
}

export interface Hardships {
  /** The table deletes expired items by itself, and clients come back meanwhile. */
  readonly expires: boolean;
  /** The indexes follow the table late. */
  readonly lags: boolean;
  /** The share of reads of an index that may get a fault. */
  readonly indexFaults: number;
  /** The machine of the sole owner is off for these stretches; its processes die. */
  readonly off: readonly Span[];
  /** For how long the disk is full after the machine has been off; 0 if it is not. */
  readonly fullDiskMs: number;
  /** When all processes end, and only the table is restored, with the time until processes run again. */
  readonly restore: Span | undefined;
  /** The sweeper makes its first pass only after the restore. */
  readonly isSweeperLate: boolean;
  /** When the deployment is removed, and the time until it is registered anew. */
  readonly gone: readonly Span[];
}

/** @param ownsStore whether one process owns the store alone */
export function drawHardships(random: Random, ownsStore: boolean): Hardships {
  const off = ownsStore && random.chance(OFF_SHARE) ? spans(random, random.between(1, 2), OFF_MS) : [];
  const isRestored = !ownsStore && random.chance(RESTORE_SHARE);
  return {
    expires: !ownsStore && random.chance(EXPIRES_SHARE),
    lags: !ownsStore && random.chance(LAGS_SHARE),
    indexFaults: random.chance(INDEX_FAULTS_SHARE) ? random.pick(INDEX_FAULTS) : 0,
    off,
    fullDiskMs: off.length > 0 && random.chance(FULL_DISK_SHARE) ? random.between(1, FULL_DISK_MAX_MS) : 0,
    restore: isRestored ? spans(random, 1, RESTORED_AFTER_MS)[0] : undefined,
    isSweeperLate: isRestored && random.chance(LATE_SWEEPER_SHARE),
    gone: random.chance(GONE_SHARE) ? spans(random, random.between(1, 2), [GONE_MAX_MS / 20, GONE_MAX_MS]) : [],
  };
}

function spans(random: Random, count: number, lengthsMs: readonly number[]): readonly Span[] {
  return Array.from({ length: count }, () => ({ fromMs: random.between(0, WITHIN_MS), forMs: random.pick(lengthsMs) }));
}
