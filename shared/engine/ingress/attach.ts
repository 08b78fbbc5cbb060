/** Waiting for the end of an invocation, and asking for its output without waiting. */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { endedOf } from "./ended.ts";
import type { Engine } from "../engine.ts";
import { findAccepted } from "../messaging/find-accepted.ts";
import { hasExpired, isLeased, loadJointly, type Loaded } from "../store/load.ts";
import type { Absent, Ended } from "../ports/submission.ts";
import { isResultVisible } from "../lock/result-visible.ts";
import { sendWake } from "../messaging/wake.ts";

/** A ring in this process ends a wait at once; for ends in other processes the table is asked, ever more rarely. */
const POLL_MIN_MS = 100;
const POLL_MAX_MS = 2_000;
/** Where one process owns the store alone, every end rings in it: the table is asked only in case that a ring was missed. */
const POLL_MAX_ALONE_MS = 30_000;

/** Waits as long as the caller does. @returns `unknown` where there is no such invocation */
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

/** The result if there is one, at once. What has ended and may not be told yet is finished, or whoever asks so would ask for ever. */
export async function output(engine: Engine, id: InvocationId): Promise<Ended | Absent> {
  const loaded = await loadKept(engine, id);
  if (loaded === undefined) return { kind: "unknown" };
  if (await isResultVisible(engine, loaded.invocation)) return endedOf(loaded.invocation, engine.clock.nowMs());
  if (loaded.invocation.phase.status === "completed") await wakeIfDriverless(engine, loaded);
  return { kind: "open" };
}

/** One life of an id: the next one under the same id is another invocation. */
export interface Life {
  readonly id: InvocationId;
  readonly nonce: Nonce;
}

/** @returns undefined where it ended without leaving a record. @throws the signal's reason when the caller has gone */
export async function waitForEnd(
  engine: Engine,
  { id, nonce }: Life,
  signal?: AbortSignal,
): Promise<Ended | undefined> {
  const pollMaxMs = engine.settings.exclusiveOwnerPrefix === undefined ? POLL_MAX_MS : POLL_MAX_ALONE_MS;
  for (let pollMs = POLL_MIN_MS; ; pollMs = Math.min(pollMs * 2, pollMaxMs)) {
    // Listening starts before the look, so that an end between the two is heard.
    const heard = engine.activeInvocations.waitFor(id, pollMs, signal);
    const loaded = await loadJointly(engine, id);
    if (loaded === undefined || loaded.invocation.acceptance.nonce !== nonce) return undefined;
    if (await isResultVisible(engine, loaded.invocation)) {
      engine.activeInvocations.notify(id);
      return endedOf(loaded.invocation, undefined);
    }
    if (!engine.activeInvocations.stopping) await heard;
    signal?.throwIfAborted();
    if (engine.activeInvocations.stopping) throw new StoppingError(id);
  }
}

/** The process ends, or its time is up, before the invocation is over: the caller may attach again elsewhere. */
export class StoppingError extends Error {
  override name = "StoppingError";
  readonly invocationId: InvocationId;
  constructor(invocationId: InvocationId) {
    super(`nobody waits here any longer for the end of ${invocationId}, which goes on`);
    this.invocationId = invocationId;
  }
}

async function loadKept(engine: Engine, id: InvocationId): Promise<Loaded | undefined> {
  const loaded = await findAccepted(engine, id, () => loadJointly(engine, id));
  return loaded === undefined || hasExpired(loaded, engine.clock.nowMs()) ? undefined : loaded;
}

/** Who meets an open invocation whose hold has expired wakes it. */
async function wakeIfDriverless(engine: Engine, loaded: Loaded): Promise<void> {
  const { phase, acceptance } = loaded.invocation;
  // What has ended and may not be told yet is left by a driver that died ahead of its effects.
  const driverless = phase.status === "running" || phase.status === "ready" || phase.status === "completed";
  if (driverless && !isLeased(engine, loaded, engine.clock.nowMs())) await sendWake(engine, acceptance, 0);
}
