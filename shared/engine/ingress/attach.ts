/** Waits for the end of an invocation, or reads its output without waiting, and makes the answer. */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { findAccepted } from "../messaging/find-accepted.ts";
import { hasExpired, isLeased, type Loaded, loadJointly } from "../store/load.ts";
import type { Absent, Ended } from "../ports/submission.ts";
import { isResultVisible } from "../lock/object-lock.ts";
import { sendWake } from "../messaging/wake.ts";
import { expiresAtMs, type Invocation } from "../../core/invocation/invocation.ts";
import { knowsEveryDriver } from "../ports/store-ownership.ts";

/** An end in this process ends a wait at once. For ends in other processes, the wait polls the table, ever less often. */
const POLL_MIN_MS = 100;
const POLL_MAX_MS = 2_000;
/** All invocations of a sole owner end in its process, so a wait there polls only because it may have missed a notification. */
const POLL_MAX_ALONE_MS = 30_000;

/** Waits for as long as the caller does. @returns `unknown` if there is no such invocation */
export async function attach(
  engine: Engine,
  id: InvocationId,
  signal?: AbortSignal,
): Promise<Ended | { readonly kind: "unknown" }> {
  const loaded = await loadKept(engine, id);
  if (loaded === undefined) return { kind: "unknown" };
  if (await isResultVisible(engine, loaded.invocation)) return endedOf(loaded.invocation, engine.clock.nowMs());
  await wakeIfDriverless(engine, loaded);
  return (await waitForEnd(engine, loaded.invocation.acceptance, signal)) ?? { kind: "unknown" };
}

/**
 * Reads the result without waiting. If a completed invocation has no lease and its result is not visible, sends a wake: its
 * driver may have died before the final effects, without which the result does not become visible.
 */
export async function output(engine: Engine, id: InvocationId): Promise<Ended | Absent> {
  const loaded = await loadKept(engine, id);
  if (loaded === undefined) return { kind: "unknown" };
  if (await isResultVisible(engine, loaded.invocation)) return endedOf(loaded.invocation, engine.clock.nowMs());
  if (loaded.invocation.phase.status === "completed") await wakeIfDriverless(engine, loaded);
  return { kind: "open" };
}

/** One life of an id. The next life under the same id is another invocation. */
export interface Life {
  readonly id: InvocationId;
  readonly nonce: Nonce;
}

/**
 * Looks once a lease whether a driver is missing: the wake of a driver that died after the final segment may be lost, and the sweeper
 * looks at no completed invocation, so without this look the result might stay invisible for as long as the caller waits (I8).
 * @returns undefined if the life is no longer stored, or another life has taken its place
 * @throws the signal's reason if the caller has left; StoppingError if the process stops
 */
export async function waitForEnd(
  engine: Engine,
  { id, nonce }: Life,
  signal?: AbortSignal,
): Promise<Ended | undefined> {
  const pollMaxMs = knowsEveryDriver(engine.settings) ? POLL_MAX_ALONE_MS : POLL_MAX_MS;
  let lookAtMs = engine.clock.nowMs() + engine.settings.leaseMs;
  for (let pollMs = POLL_MIN_MS; ; pollMs = Math.min(pollMs * 2, pollMaxMs)) {
    // The wait begins before the load, so that it also gets a notification of an end during the load.
    const heard = engine.activeInvocations.waitFor(id, pollMs, signal);
    const loaded = await loadJointly(engine, id);
    if (loaded === undefined || loaded.invocation.acceptance.nonce !== nonce) return undefined;
    if (await isResultVisible(engine, loaded.invocation)) {
      engine.activeInvocations.notify(id);
      return endedOf(loaded.invocation, undefined);
    }
    // The look is also due after the clock was set back, because memory then does not show how long the caller has waited.
    const leftMs = lookAtMs - engine.clock.nowMs();
    if (leftMs <= 0 || leftMs > engine.settings.leaseMs) {
      lookAtMs = engine.clock.nowMs() + engine.settings.leaseMs;
      // If this send fails, the next look sends again.
      await wakeIfDriverless(engine, loaded).catch(() => undefined);
    }
    if (!engine.activeInvocations.stopping) await heard;
    signal?.throwIfAborted();
    if (engine.activeInvocations.stopping) throw new StoppingError(id);
  }
}

/** The process stops, or its time is up, before the invocation has ended. The caller may attach again elsewhere. */
export class StoppingError extends Error {
  override name = "StoppingError";
  readonly invocationId: InvocationId;
  constructor(invocationId: InvocationId) {
    super(`this process no longer waits for the end of ${invocationId}, which goes on`);
    this.invocationId = invocationId;
  }
}

async function loadKept(engine: Engine, id: InvocationId): Promise<Loaded | undefined> {
  const loaded = await findAccepted(engine, id, () => loadJointly(engine, id));
  return loaded === undefined || hasExpired(loaded, engine.clock.nowMs()) ? undefined : loaded;
}

/** Wakes an invocation that should have a driver, but whose lease is over. */
async function wakeIfDriverless(engine: Engine, loaded: Loaded): Promise<void> {
  const { phase, acceptance } = loaded.invocation;
  // If the result of a completed invocation is not visible, its driver may have died before the final effects.
  const driverless = phase.status === "running" || phase.status === "ready" || phase.status === "completed";
  if (driverless && !isLeased(engine, loaded, engine.clock.nowMs())) await sendWake(engine, acceptance, 0);
}

/** @param askedAtMs present if the invocation had completed before the request; the answer then contains the expiry */
export function endedOf(invocation: Invocation, askedAtMs: number | undefined): Ended {
  const { acceptance, phase } = invocation;
  if (phase.status !== "completed") throw new Error(`Invocation ${acceptance.id} is ${phase.status}, not completed`);
  const expires = askedAtMs === undefined ? undefined : expiresAtMs(invocation);
  return {
    kind: "ended",
    invocationId: acceptance.id,
    target: acceptance.target,
    result: phase.result,
    ...(expires !== undefined && { expiresAtMs: expires }),
  };
}
