/** The circuit of a service on a deployment: open while everything fails there, so that a few attempts find out when that ends. */
import type { DeploymentId } from "./ids.ts";

export interface OpenCircuit {
  readonly deploymentId: DeploymentId;
  readonly service: string;
  /** When it opened. */
  readonly sinceMs: number;
  /** No attempt is made before this moment. The process that moves it on makes the next one. */
  readonly untilMs: number;
  /** How long the circuit was closed to attempts the last time. */
  readonly pauseMs: number;
  /** The failure that opened it, or the latest that kept it open, cut to what is kept of failures. */
  readonly reason: string;
}

export function circuitName({ deploymentId, service }: Pick<OpenCircuit, "deploymentId" | "service">): string {
  return `${deploymentId}/${service}`;
}
