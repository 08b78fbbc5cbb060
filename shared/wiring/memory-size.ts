/** The memory available to this process, and the budgets that are shares of it. */
import { totalmem } from "node:os";
import type { Settings } from "../config/settings-table.ts";

const MOST_BYTES = 1024 ** 3;
const SHARES = {
  replies: 1 / 16,
  journals: 1 / 16,
  records: 1 / 16,
  answers: 1 / 8,
  ingressBodies: 1 / 16,
  adminBodies: 1 / 32,
};

export interface MemoryBudgets {
  /** Bytes of received replies that are not yet stored. */
  readonly repliesMaxBytes: number;
  /** Bytes of large journals in memory. */
  readonly journalsMaxBytes: number;
  /** Bytes of records of topics that wait for their acceptance. */
  readonly recordsMaxBytes: number;
  readonly ingress: ListenerLimits;
  readonly admin: ListenerLimits;
}

/** The budgets of one listener, for all its connections together. */
export interface ListenerLimits {
  /** Bytes of the bodies of unanswered requests. */
  readonly bodiesMaxBytes: number;
  /** Bytes of answers that clients have not read yet. */
  readonly answersMaxBytes: number;
}

export function memoryBudgets(settings: Settings): MemoryBudgets {
  const memoryBytes = settings["memory-size"] ?? defaultMemoryBytes();
  const share = (given: number | undefined, part: number): number => given ?? Math.floor(memoryBytes * part);
  return {
    repliesMaxBytes: share(settings["worker.invoker.replies-size-limit"], SHARES.replies),
    journalsMaxBytes: share(settings["worker.invoker.journals-size-limit"], SHARES.journals),
    recordsMaxBytes: share(undefined, SHARES.records),
    ingress: {
      bodiesMaxBytes: share(settings["ingress.bodies-size-limit"], SHARES.ingressBodies),
      answersMaxBytes: share(settings["ingress.answers-size-limit"], SHARES.answers),
    },
    admin: {
      bodiesMaxBytes: share(settings["admin.bodies-size-limit"], SHARES.adminBodies),
      answersMaxBytes: share(settings["admin.answers-size-limit"], SHARES.answers),
    },
  };
}

/** Node returns the limit of a container or a function; without a limit it returns 0 or a number beyond the machine's memory. */
function defaultMemoryBytes(): number {
  const constrainedBytes = process.constrainedMemory();
  const machineBytes = totalmem();
  const ownBytes = constrainedBytes > 0 ? Math.min(constrainedBytes, machineBytes) : machineBytes;
  return Math.min(MOST_BYTES, ownBytes / 2);
}
