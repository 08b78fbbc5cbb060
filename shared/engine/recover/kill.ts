/** Kills an invocation in any phase: the killer writes the final segment, which fences the driver. */
import { advance } from "../../core/invocation/advance.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Failure } from "../../core/model/failure.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import { replaceFormer } from "../messaging/replace.ts";
import { writeSegment } from "../drive/commit.ts";
import { reportEnd } from "../drive/report.ts";
import { type Addressee, orderKill } from "../messaging/deliver.ts";
import type { Engine } from "../engine.ts";
import { keepArrivals } from "../lease/extend.ts";
import { leaveOpenIndex } from "../lease/release.ts";
import { leaveAllPools } from "../limits/pools.ts";
import { keepBesideS } from "../store/ttl.ts";
import { hasExpired, type Loaded, unperformed } from "../store/load.ts";
import { loadHeads } from "../store/recorder.ts";
import { perform } from "../effects/perform.ts";
import { performerOf } from "../effects/performer.ts";
import { eraseUnstarted } from "../lease/erase-unstarted.ts";
import { actNow } from "../store/operator-act.ts";
import type { Interruption } from "../ports/submission.ts";

/**
 * Does not roll back applied state. Also kills, recursively, the calls of the invocation that have no result; kills no sends.
 * @param by the operator, if one was authenticated
 */
export async function kill(engine: Engine, id: InvocationId, by?: string): Promise<Interruption> {
  for (let first = true; ; first = false) {
    const loaded = await loadHeads(engine, id);
    if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return first ? "unknown" : "done";
    if (loaded.invocation.phase.status === "completed") return first ? "completed" : "done";
    // The order is durable before the killer acts on it. If the killer dies, a worker finishes the kill (I3).
    if (first) await orderKill(engine, addresseeOf(loaded), actNow(engine, "kill", by));
    if (await killLoaded(engine, loaded)) return "done";
  }
}

/**
 * Ends a loaded invocation and performs its final effects.
 * @param failure what its caller gets; by default that it was killed
 * @returns false if another process wrote the next segment, perhaps the final one: the caller loads again
 */
export async function killLoaded(engine: Engine, loaded: Loaded, failure?: Failure): Promise<boolean> {
  const { pk, leaseRecord } = loaded;
  const before = withFailures(engine, loaded.invocation);
  const performer = performerOf(loaded);
  // The writer of segment k+1 performs the effects of segment k first (I2).
  const redo = (await hasPerformed(engine, loaded)) ? undefined : unperformed(loaded);
  if (redo !== undefined) await perform(engine, performer, redo.before, redo.segment, { isRedo: true });
  if (before.segmentIndex === 0) await replaceFormer(engine, before.acceptance);
  const { segment, next } = advance(before, {
    kind: "kill",
    atMs: engine.clock.nowMs(),
    ...(failure && { failure }),
  });
  if (segment === undefined) return false;
  // The killer has no lease: the fence alone decides.
  const by = { pk, token: loaded.lease.token, consumedUnits: 1, extendedUntilS: leaseRecord?.keepUntilS };
  if ((await writeSegment(engine, before, segment, by)) === undefined) return false;
  if (engine.activity !== undefined) reportEnd(engine.activity, next);
  engine.activeInvocations.find(next.acceptance.id)?.lose();
  performer.inbox.consume(segment);
  await perform(engine, { ...performer, invocation: next }, before, segment);
  await leaveAllPools(engine, next.acceptance, leaseRecord?.waitsAt);
  await keepArrivals(engine, next);
  await eraseUnstarted(engine, next);
  await leaveOpenIndex(engine, next, performer.lease, { mayBeNoted: true });
  engine.activeInvocations.notify(next.acceptance.id);
  return true;
}

/**
 * True if a driver of this process has performed the effects of the last segment. The lease record shows this only after a park. The
 * acceptances of calls that the driver drives along may still wait, so they are written now.
 */
async function hasPerformed(engine: Engine, { invocation }: Loaded): Promise<boolean> {
  const { id, nonce } = invocation.acceptance;
  const driver = engine.activeInvocations.find(id);
  if (driver?.invocation.acceptance.nonce !== nonce || driver.performedIndex !== invocation.segmentIndex) return false;
  try {
    await driver.children.settle();
    return true;
  } catch {
    return false;
  }
}

/** Adds the failures that only a driver of this process knows, so that the final segment keeps their count. */
function withFailures(engine: Engine, invocation: Invocation): Invocation {
  const { acceptance, segmentIndex } = invocation;
  const driver = engine.activeInvocations.find(acceptance.id)?.invocation;
  if (driver?.acceptance.nonce !== acceptance.nonce || driver.segmentIndex !== segmentIndex) return invocation;
  return driver.lastFailure === undefined ? invocation : { ...invocation, lastFailure: driver.lastFailure };
}

/** Addresses the loaded life, and no later one. */
function addresseeOf({ invocation, expiresAtS }: Loaded): Addressee {
  const { id, nonce, target } = invocation.acceptance;
  return { id, nonce, target, keptUntilS: keepBesideS(expiresAtS) };
}
