/** The circuit breaker. While all attempts of a service on a deployment fail, attempts wait, and one at a time probes. */
import { CLOCK_SKEW_MAX_MS } from "../../core/model/clock-skew.ts";
import { circuitName, type OpenCircuit } from "../../core/model/circuit.ts";
import type { AttemptEnded } from "../../core/invocation/event.ts";
import { keptFailure } from "../../core/model/attempt-failure.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import { FAILURES_TO_OPEN, FAILURES_TO_OPEN_WHEN_ASKED } from "../bulkheads/failure-tallies.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { jitter } from "./unsent-attempt.ts";

const PAUSE_MIN_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
/** The longest pause that a deployment can request by `Retry-After`. */
const ASKED_MAX_MS = 600_000;
/** After the probe, the waiting attempts come back at random moments within this share of a pause. */
const SPREAD_SHARE = 0.5;

/** The service and the deployment of an attempt. */
export interface CircuitKey {
  readonly deploymentId: DeploymentId;
  readonly service: string;
}

/** The circuit of an invocation's next attempt; undefined if memory does not show the deployment of this attempt. */
export function circuitKeyOfNext(
  { registry }: Engine,
  { pin, acceptance }: Pick<ActiveInvocation["invocation"], "pin" | "acceptance">,
): CircuitKey | undefined {
  const { service } = acceptance.target;
  const deploymentId = pin?.deploymentId ?? registry.ownerOf(service);
  return deploymentId === undefined ? undefined : { deploymentId, service };
}

/**
 * Decides whether an attempt may start. Costs nothing while no circuit is open.
 * @returns the moment until which the attempt has to wait; undefined if it may start now
 */
export function waitsUntilMs(engine: Engine, circuit: CircuitKey | undefined): undefined | Promise<number | undefined> {
  const circuits = engine.registry.circuits();
  if (circuits.size === 0 || circuit === undefined) return undefined;
  const open = circuits.get(circuitName(circuit));
  return open === undefined ? undefined : waitOrProbe(engine, open);
}

/** After the pause, one process makes one attempt: the process that succeeds in starting the next pause of the circuit. */
async function waitOrProbe(engine: Engine, open: OpenCircuit): Promise<number | undefined> {
  const nowMs = engine.clock.nowMs();
  const spreadMs = Math.ceil((1 + SPREAD_SHARE * open.pauseMs) * jitter(engine));
  // A pause that has more left than its length began before the clock was set back, and counts as over.
  const leftMs = open.untilMs - nowMs;
  if (leftMs > 0 && leftMs <= open.pauseMs + CLOCK_SKEW_MAX_MS) return open.untilMs + spreadMs;
  const isOurs = await engine.registry.setCircuit({ ...open, untilMs: nowMs + open.pauseMs }, open);
  return isOurs ? undefined : nowMs + open.pauseMs + spreadMs;
}

/**
 * Counts the outcome of an attempt. A success closes the circuit; failures of many invocations in a row open it.
 * @returns a promise only if a circuit changes
 */
export function noteOutcome(engine: Engine, active: ActiveInvocation, ended: AttemptEnded): undefined | Promise<void> {
  const { ending, pin } = ended;
  if (ending.kind === "cut" || pin.deploymentId === "" || engine.settings.opensCircuits === false) return undefined;
  const place = { deploymentId: pin.deploymentId, service: active.invocation.acceptance.target.service };
  if (ending.kind === "failed")
    return ending.ownFault === true ? undefined : failedAt(engine, active, place, ended, ending);
  return succeeded(engine, circuitName(place));
}

/** Counts a stored segment of an exchange that stays open as a success. @returns a promise only if a circuit changes */
export function noteProgress(
  engine: Engine,
  active: ActiveInvocation,
  { pin }: Pick<AttemptEnded, "pin">,
): undefined | Promise<void> {
  if (engine.settings.opensCircuits === false) return undefined;
  return succeeded(engine, circuitName({ ...pin, service: active.invocation.acceptance.target.service }));
}

function succeeded(engine: Engine, name: string): undefined | Promise<void> {
  engine.bulkheads.failures.clear(name);
  const open = engine.registry.circuits().get(name);
  return open === undefined ? undefined : close(engine, open);
}

type Failed = Extract<AttemptEnded["ending"], { kind: "failed" }>;

async function failedAt(
  engine: Engine,
  active: ActiveInvocation,
  circuit: CircuitKey,
  { attempt, atMs }: AttemptEnded,
  ending: Failed,
): Promise<void> {
  const { registry, bulkheads } = engine;
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
  const failures = bulkheads.failures.add(name, active.id, atMs);
  if (failures < (askedMs > 0 ? FAILURES_TO_OPEN_WHEN_ASKED : FAILURES_TO_OPEN)) return;
  const pauseMs = Math.max(PAUSE_MIN_MS, askedMs);
  const opened = { ...circuit, sinceMs: atMs, untilMs: atMs + pauseMs, pauseMs, reason };
  if (!(await registry.setCircuit(opened, undefined))) return;
  engine.meter.count("circuits_opened_total");
  engine.log.write("circuit.opened", { ...circuit, failures, pauseMs, reason });
}

async function close(engine: Engine, open: OpenCircuit): Promise<void> {
  if (!(await engine.registry.setCircuit(undefined, open))) return;
  const openMs = engine.clock.nowMs() - open.sinceMs;
  engine.log.write("circuit.closed", {
    deploymentId: open.deploymentId,
    service: open.service,
    openMs,
  });
}
