/** A deployment that plays programs, with a registry that contains it. */
import type { Deployment } from "../in-process-endpoints.ts";
import type { MemoryTable } from "../memory-table.ts";
import type { Outside } from "./outside.ts";

export interface Players {
  readonly deployment: (outside: Outside) => Deployment;
  /** The registry with this deployment. */
  readonly meta: MemoryTable;
}
