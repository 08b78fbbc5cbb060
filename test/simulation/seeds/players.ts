/** A deployment that plays programs, with a registry that contains it. */
import type { Deployment } from "../in-process-endpoints.ts";
import type { StreamDeployment } from "../stream-deployment.ts";
import type { MemoryTable } from "../memory-table.ts";
import type { Outside } from "./outside.ts";

export interface Players {
  readonly deployment: (outside: Outside) => Deployment;
  /** The same handlers on exchanges that stay open; absent if no exchange does. */
  readonly streams?: () => StreamDeployment;
  /** The registry with this deployment. */
  readonly meta: MemoryTable;
}
