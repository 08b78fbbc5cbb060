/** Whether a deployment answers, judged by its open circuits and by the last answer that this process had from it. */
import type { OpenCircuit } from "../model/circuit.ts";

/**
 * `unreachable`: attempts get no answer. `failing`: it answers, and all attempts of a service fail. `reachable`: it has answered
 * this process, and no circuit is open. `unknown`: no circuit is open, and this process has had no answer from it.
 */
export type HealthState = "reachable" | "failing" | "unreachable" | "unknown";

export interface DeploymentHealth {
  readonly state: HealthState;
  /** When the oldest of the circuits opened that say so. */
  readonly sinceMs?: number;
  readonly reason?: string;
  /** The last answer of any kind that this process had; other processes may have had later ones. */
  readonly lastContactAtMs?: number;
}

/** The code of failures without an answer: no connection, a broken one, or a gateway without the deployment behind it. */
const NO_ANSWER = "RT0010:";

/** Circuits are stored, so all processes know of them; the last contact is known to one process alone. */
export function deploymentHealth(
  circuits: readonly OpenCircuit[],
  lastContactAtMs: number | undefined,
): DeploymentHealth {
  const contact = lastContactAtMs === undefined ? {} : { lastContactAtMs };
  const unanswered = circuits.filter(({ reason }) => reason.startsWith(NO_ANSWER));
  const said = unanswered.length > 0 ? unanswered : circuits;
  const oldest = said.toSorted((a, b) => a.sinceMs - b.sinceMs)[0];
  if (oldest === undefined) return { state: lastContactAtMs === undefined ? "unknown" : "reachable", ...contact };
  const state = unanswered.length > 0 ? "unreachable" : "failing";
  return { state, sinceMs: oldest.sinceMs, reason: oldest.reason, ...contact };
}
