/** The memory that this process may count on, and the budgets that are shares of it. */
import { totalmem } from "node:os";
import type { Settings } from "../config/settings-table.ts";

const MOST_BYTES = 1024 ** 3;
const REPLIES_SHARE = 1 / 16;
const JOURNALS_SHARE = 1 / 16;

export interface MemoryBudgets {
  /** Replies of deployments that are received and not yet stored. */
  readonly repliesMaxBytes: number;
  /** Large journals that drivers hold. */
  readonly journalsMaxBytes: number;
}

export function memoryBudgets(settings: Settings): MemoryBudgets {
  const memoryBytes = settings["memory-size"] ?? defaultMemoryBytes();
  return {
    repliesMaxBytes: settings["worker.invoker.replies-size-limit"] ?? Math.floor(memoryBytes * REPLIES_SHARE),
    journalsMaxBytes: settings["worker.invoker.journals-size-limit"] ?? Math.floor(memoryBytes * JOURNALS_SHARE),
  };
}

/** A container or a function tells its own limit; where nothing limits the process, Node tells none or one beyond the machine's. */
function defaultMemoryBytes(): number {
  const constrainedBytes = process.constrainedMemory();
  const machineBytes = totalmem();
  const ownBytes = constrainedBytes > 0 ? Math.min(constrainedBytes, machineBytes) : machineBytes;
  return Math.min(MOST_BYTES, ownBytes / 2);
}
