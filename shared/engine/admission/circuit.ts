/** The circuit breaker. While all attempts of a service on a deployment fail, attempts wait, and one at a time probes. */
import { CLOCK_SKEW_MAX_MS } from "../../core/model/time-units.ts";
import { circuitName, type OpenCircuit } from "../../core/model/circuit.ts";
import type { AttemptEnded } from "../../core/invocation/event.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { keptFailure } from "../../core/model/attempt-failure.ts";
import type { DeploymentId, InvocationId } from "../../core/model/ids.ts";
import { FAILURES_TO_OPEN, FAILURES_TO_OPEN_WHEN_ASKED } from "../bulkheads/failure-tallies.ts";
import { jitter } from "../ports/id-source.ts";
import { type Admission, type AdmissionPorts, GO, type Wait } from "./answer.ts";

const PAUSE_MIN_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
/** The longest pause that a deployment can request by `Retry-After`. */
const ASKED_MAX_MS = 600_000;
/** After the probe, the waiting attempts come back at random moments within this share of a pause. */
const SPREAD_SHARE = 0.5;

/** The service and the deployment of an attempt. */
type CircuitKey = Pick<OpenCircuit, "deploymentId" | "service">;

type Next = Pick<Invocation, "pin" | "acceptance">;

/** The deployment of an invocation's next attempt; undefined if memory does not show it. */
export function deploymentOfNext(
  { registry }: Pick<AdmissionPorts, "registry">,
  { pin, acceptance }: Next,
): DeploymentId | undefined {
  return pin?.deploymentId ?? registry.ownerOf(acceptance.target.service);
}

/** The open circuit of an invocation's next attempt. Costs nothing while no circuit is open. */
export function circuitOfNext(ports: AdmissionPorts, invocation: Next): OpenCircuit | undefined {
  const circuits = ports.registry.circuits();
  if (circuits.size === 0) return undefined;
  const deploymentId = deploymentOfNext(ports, invocation);
  const { service } = invocation.acceptance.target;
  return deploymentId && circuits.get(circuitName({ deploymentId, service }));
}

/** @param untilMs the moment at which the attempt asks again; by default the end of the pause */
export function waitOfCircuit(open: OpenCircuit, untilMs = open.untilMs): Wait {
  const { deploymentId, sinceMs, reason } = open;
  return { kind: "wait", untilMs, why: { kind: "circuit", sinceMs, deploymentId, name: reason } };
}

/** After the pause, one process makes one attempt: the process that succeeds in starting the next pause of the circuit. */
export async function waitOrProbe(ports: AdmissionPorts, open: OpenCircuit): Promise<Admission> {
  const nowMs = ports.clock.nowMs();
  const spreadMs = Math.ceil((1 + SPREAD_SHARE * open.pauseMs) * jitter(ports));
  // A pause that has more left than its length began before the clock was set back, and counts as over.
  const leftMs = open.untilMs - nowMs;
  if (leftMs > 0 && leftMs <= open.pauseMs + CLOCK_SKEW_MAX_MS) return waitOfCircuit(open, open.untilMs + spreadMs);
  const isOurs = await ports.registry.setCircuit({ ...open, untilMs: nowMs + open.pauseMs }, open);
  return isOurs ? { ...GO, isProbe: true } : waitOfCircuit(open, nowMs + open.pauseMs + spreadMs);
}

/** The driver of an attempt. */
interface Attempted {
  readonly id: InvocationId;
  readonly invocation: Next;
}

/**
 * Counts the outcome of an attempt. A success closes the circuit; failures of many invocations in a row open it.
 * @returns a promise only if a circuit changes
 */
export function noteOutcome(
  ports: AdmissionPorts,
  { id, invocation }: Attempted,
  ended: AttemptEnded,
): undefined | Promise<void> {
  const { ending, pin } = ended;
  if (ending.kind === "cut" || pin.deploymentId === "" || !ports.settings.opensCircuits) return undefined;
  const place = { deploymentId: pin.deploymentId, service: invocation.acceptance.target.service };
  if (ending.kind === "failed") return ending.ownFault === true ? undefined : failedAt(ports, id, place, ended, ending);
  return succeeded(ports, circuitName(place));
}

/** Counts a stored segment of an exchange that stays open as a success. @returns a promise only if a circuit changes */
export function noteProgress(
  ports: AdmissionPorts,
  { invocation }: Pick<Attempted, "invocation">,
  { pin }: Pick<AttemptEnded, "pin">,
): undefined | Promise<void> {
  if (!ports.settings.opensCircuits) return undefined;
  return succeeded(ports, circuitName({ ...pin, service: invocation.acceptance.target.service }));
}

function succeeded(ports: AdmissionPorts, name: string): undefined | Promise<void> {
  ports.bulkheads.failures.clear(name);
  const open = ports.registry.circuits().get(name);
  return open === undefined ? undefined : close(ports, open);
}

type Failed = Extract<AttemptEnded["ending"], { kind: "failed" }>;

async function failedAt(
  ports: AdmissionPorts,
  id: InvocationId,
  circuit: CircuitKey,
  { attempt, atMs }: AttemptEnded,
  ending: Failed,
): Promise<void> {
  const { registry, bulkheads } = ports;
  const name = circuitName(circuit);
  const open = registry.circuits().get(name);
  const failure = keptFailure(ending.failure);
  const askedMs = failure.errorCode === "RT0023" ? Math.min(ending.nextRetryDelayMs ?? 0, ASKED_MAX_MS) : 0;
  const reason = `${failure.errorCode}: ${failure.message}`;
  if (open !== undefined) {
    // A failed attempt that began before the circuit opened changes nothing.
    if (attempt.startedAtMs < open.sinceMs) return;
    const pauseMs = Math.max(Math.min(2 * open.pauseMs, PAUSE_MAX_MS), askedMs);
    await registry.setCircuit({ ...open, untilMs: atMs + pauseMs, pauseMs, reason }, open);
    return;
  }
  const failures = bulkheads.failures.add(name, id, atMs);
  if (failures < (askedMs > 0 ? FAILURES_TO_OPEN_WHEN_ASKED : FAILURES_TO_OPEN)) return;
  const pauseMs = Math.max(PAUSE_MIN_MS, askedMs);
  const opened = { ...circuit, sinceMs: atMs, untilMs: atMs + pauseMs, pauseMs, reason };
  if (!(await registry.setCircuit(opened, undefined))) return;
  ports.meter.count("circuits_opened_total");
  ports.log.write("circuit.opened", { ...circuit, failures, pauseMs, reason });
}

async function close(ports: AdmissionPorts, open: OpenCircuit): Promise<void> {
  if (!(await ports.registry.setCircuit(undefined, open))) return;
  const openMs = ports.clock.nowMs() - open.sinceMs;
  ports.log.write("circuit.closed", {
    deploymentId: open.deploymentId,
    service: open.service,
    openMs,
  });
}
