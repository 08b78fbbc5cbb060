/** The memory that this process may count on, and the budgets that are shares of it. */
import { totalmem } from "node:os";
import type { Settings } from "../config/settings-table.ts";

const MOST_BYTES = 1024 ** 3;
const SHARES = { replies: 1 / 16, journals: 1 / 16, answers: 1 / 8, ingressBodies: 1 / 16, adminBodies: 1 / 32 };

export interface MemoryBudgets {
  /** Replies of deployments that are received and not yet stored. */
  readonly repliesMaxBytes: number;
  /** Large journals that drivers hold. */
  readonly journalsMaxBytes: number;
  readonly ingress: DoorLimits;
  readonly admin: DoorLimits;
}

/** Of one door, for all its connections together. */
export interface DoorLimits {
  /** Bodies of requests that have not been answered. */
  readonly bodiesMaxBytes: number;
  /** Answers that clients have yet to read. */
  readonly answersMaxBytes: number;
}

export function memoryBudgets(settings: Settings): MemoryBudgets {
  const memoryBytes = settings["memory-size"] ?? defaultMemoryBytes();
  const share = (given: number | undefined, part: number): number => given ?? Math.floor(memoryBytes * part);
  return {
    repliesMaxBytes: share(settings["worker.invoker.replies-size-limit"], SHARES.replies),
    journalsMaxBytes: share(settings["worker.invoker.journals-size-limit"], SHARES.journals),
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

/** A container or a function tells its own limit; where nothing limits the process, Node tells none or one beyond the machine's. */
function defaultMemoryBytes(): number {
  const constrainedBytes = process.constrainedMemory();
  const machineBytes = totalmem();
  const ownBytes = constrainedBytes > 0 ? Math.min(constrainedBytes, machineBytes) : machineBytes;
  return Math.min(MOST_BYTES, ownBytes / 2);
}
