/**
 * One look at one invocation: a walk can record the look before it runs, and a failed look stops no walk. A look wakes what needs a
 * driver (I8), and puts into the open index what is not there.
 */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { type Loaded, hasExpired, isLeased, isParked, load } from "../store/load.ts";
import type { Guard, Phase } from "./guard.ts";
import type { Counts } from "./counts.ts";
import { TooLargeError } from "../store/read-partition.ts";
import { finishCompleted } from "../recover/finish-completed.ts";
import { isLeftUndone } from "../recover/left-undone.ts";
import { eraseUnstarted } from "../lease/erase-unstarted.ts";
import { type Recipient, sendWake } from "../messaging/wake.ts";
import { forgetInTime } from "../operate/purge.ts";
import type { Lease } from "../store/acceptance-record.ts";
import { claimCondition } from "../store/lease-record.ts";
import { LeaseHandle } from "../local/lease-handle.ts";
import { writeRecord } from "../lease/write-record.ts";

/** The parts of a pass that a look uses. */
export interface Looking {
  readonly engine: Engine;
  readonly counts: Counts;
  readonly guard: Guard;
}

export interface Look {
  readonly id: InvocationId;
  readonly phase: Phase;
  /** @returns false if the look failed; never rejects */
  run(): Promise<boolean>;
}

/** The most bytes that one look loads, because several looks run together. */
const LOADED_MAX_BYTES = 4 << 20;

/**
 * Makes a look that loads the invocation.
 * @param look the action for the loaded invocation
 * @param unread the action for an invocation that is too large to be loaded here
 */
export function lookAt(
  engine: Engine,
  id: InvocationId,
  look: (loaded: Loaded) => Promise<void>,
  unread: () => Promise<void>,
): Look {
  const run = () =>
    spared(engine, id, async () => {
      const loaded = await load(engine, id, LOADED_MAX_BYTES).catch((error: unknown) => {
        if (error instanceof TooLargeError) return "too large" as const;
        throw error;
      });
      if (loaded === "too large") await unread();
      else if (loaded !== undefined) await look(loaded);
    });
  return { id, phase: "look", run };
}

/** Catches and logs errors, so that one invocation does not stop the walk. @returns true if the work succeeded */
export async function spared(engine: Engine, invocationId: InvocationId, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    engine.log.write("sweeper.look-failed", { invocationId, error: String(error) });
    return false;
  }
}

/** The share of the check interval after which a message for an unchanged state is sent again. */
const REPLACED_AFTER_SHARE = 0.5;

/** @returns whether it sent a message or performed an effect */
export type Waking = (engine: Engine, loaded: Loaded, nowMs: number) => Promise<boolean>;

/**
 * The walk over the listing visits each entry once, and calls this function for its invocation. The function notes an open
 * invocation in the open index. Otherwise the invocation would be lost if its driver died and its message was lost later (I8).
 * @returns whether it sent a message or performed an effect
 */
export async function wakeOrNote(engine: Engine, loaded: Loaded, nowMs: number): Promise<boolean> {
  const open = await noteOpen(engine, loaded, nowMs + engine.settings.checkIntervalMs);
  if (open === undefined) return false;
  const stoodThere = loaded.leaseRecord?.lookAtMs !== undefined;
  if (stoodThere || open.invocation.phase.status === "completed") return await wakeDriverless(engine, open, nowMs);
  return !isLeased(engine, open, nowMs) && (await wakeLoaded(engine, open, nowMs));
}

/**
 * Wakes an invocation that is neither completed nor parked and has no driver. For a completed invocation it performs
 * missing final effects, even if the result has expired, and drops a journal whose retention is over.
 * @returns whether it sent a message or performed an effect
 */
export async function wakeDriverless(engine: Engine, loaded: Loaded, nowMs: number): Promise<boolean> {
  if (loaded.invocation.phase.status === "completed") {
    const isUndone = await isLeftUndone(engine, loaded);
    if (isUndone) await finishLate(engine, loaded);
    else await eraseUnstarted(engine, loaded.invocation);
    if (loaded.leaseRecord?.lookAtMs === undefined && !hasExpired(loaded, nowMs)) await forgetInTime(engine, loaded);
    return isUndone;
  }
  if (isLeased(engine, loaded, nowMs) || isParked(loaded)) return false;
  return await wakeLoaded(engine, loaded, nowMs);
}

/** Performs the effects here, not by a message, because the message may be lost, and no later walk passes the entry again. */
async function finishLate(engine: Engine, loaded: Loaded): Promise<void> {
  engine.log.write("effect.redone", {
    invocationId: loaded.invocation.acceptance.id,
  });
  await finishCompleted(engine, loaded);
}

export async function wakeLoaded(engine: Engine, { invocation, lease }: Loaded, nowMs: number): Promise<boolean> {
  return await wakeOnce(engine, invocation.acceptance, `${lease.token}.${invocation.segmentIndex}`, nowMs);
}

/**
 * Under a backlog the message of an earlier pass may still be in the queue, so each state gets only one message per half check
 * interval.
 * @param state a text that changes whenever a driver claims or parks the invocation
 */
export async function wakeOnce(engine: Engine, to: Recipient, state: string, nowMs: number): Promise<boolean> {
  const { recentWakes } = engine.activeInvocations;
  const sinceMs = nowMs - REPLACED_AFTER_SHARE * engine.settings.checkIntervalMs;
  if (recentWakes.isKnown(to.id, state, sinceMs)) return false;
  engine.activeInvocations.suspects?.note(to.id);
  await sendWake(engine, to, 0);
  recentWakes.note(to.id, state, nowMs, sinceMs);
  return true;
}

const TRIES_MAX = 3;

/**
 * Puts an invocation that is not parked into the open index, where every pass of the sweeper finds it if its driver dies (I8). If a
 * driver has the lease, this write changes only the entry of the index: the token and the lease stay, so the driver goes on as before.
 * If the lease is over, the write also changes the token.
 * @param lookAtMs for an invocation that no driver has had yet: when the sweeper looks at it next. The caller also sends a message; if
 *   no driver has claimed the invocation by this moment, the message counts as lost
 * @returns the invocation as it is stored now; undefined if it is gone
 * @throws Error if other processes write the lease record first in every try
 */
export async function noteOpen(engine: Engine, found: Loaded, lookAtMs: number): Promise<Loaded | undefined> {
  let loaded: Loaded | undefined = found;
  for (let tries = 0; loaded !== undefined && tries < TRIES_MAX; tries++) {
    if (loaded.invocation.phase.status === "completed" || loaded.leaseRecord?.lookAtMs !== undefined) return loaded;
    const noted = await note(engine, loaded, lookAtMs);
    if (noted !== undefined) return noted;
    loaded = await load(engine, found.invocation.acceptance.id);
  }
  if (loaded !== undefined) throw new Error("others write its lease record again and again");
  return undefined;
}

/** @returns undefined if another process has written the lease record, or a segment, since the load */
async function note(engine: Engine, loaded: Loaded, lookAtMs: number): Promise<Loaded | undefined> {
  const { untilMs } = loaded.lease;
  // Another process may have read the expired lease, and claim it now. The new token refuses that claim, and the process loads again.
  const isDriven = isLeased(engine, loaded, engine.clock.nowMs());
  const lease: Lease = { token: isDriven ? loaded.lease.token : engine.activeInvocations.newToken(), untilMs };
  const handle = new LeaseHandle(lease, loaded.leaseRecord);
  const how =
    untilMs > 0
      ? ({ status: "running", untilMs, lookAtMs: untilMs } as const)
      : ({ status: "ready", untilMs, lookAtMs } as const);
  const condition = claimCondition(loaded.invocation.segmentIndex, loaded.leaseRecord?.token);
  if (!(await writeRecord(engine, loaded.invocation, handle, how, condition))) return undefined;
  return { ...loaded, lease, ...(handle.record && { leaseRecord: handle.record }) };
}
