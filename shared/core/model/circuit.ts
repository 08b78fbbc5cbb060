/** The circuit of a service on a deployment: open while all attempts there fail. Then attempts wait, and single ones probe. */
import type { DeploymentId } from "./ids.ts";

export interface OpenCircuit {
  readonly deploymentId: DeploymentId;
  readonly service: string;
  /** When the circuit opened. */
  readonly sinceMs: number;
  /** No attempt is made before this moment. Then one process replaces the moment by a later one, and makes the next attempt. */
  readonly untilMs: number;
  /** The length of the latest pause between attempts. */
  readonly pauseMs: number;
  /** The failure that opened the circuit, or the latest that kept it open, cut to the stored length of failures. */
  readonly reason: string;
}

export function circuitName({ deploymentId, service }: Pick<OpenCircuit, "deploymentId" | "service">): string {
  return `${deploymentId}/${service}`;
}
