/** The entry in the open index of an invocation that nobody has parked: whoever loses it is found there by every pass (I8). */
import type { Engine } from "../engine.ts";
import type { Lease } from "../ledger/acceptance-record.ts";
import { claimCondition } from "../ledger/hold-record.ts";
import { isHeld, load, type Loaded } from "../ledger/load.ts";
import { heldByNobody } from "./finish-completed.ts";
import { writeHold } from "./grasp.ts";

const TRIES_MAX = 3;

/**
 * Nothing changes but that it stands in the index: who drives keeps its token and its lease, and parks, renews and
 * commits as before. A lease that is over gets another token.
 * @param lookAtMs of one that was never driven: when the message that it is sent now is taken for lost
 * @returns as it stands now; undefined where it has gone meanwhile
 * @throws Error where others are faster again and again
 */
export async function noteOpen(engine: Engine, found: Loaded, lookAtMs: number): Promise<Loaded | undefined> {
  let loaded: Loaded | undefined = found;
  for (let tries = 0; loaded !== undefined && tries < TRIES_MAX; tries++) {
    if (loaded.invocation.standing.status === "completed" || loaded.hold?.lookAtMs !== undefined) return loaded;
    const noted = await note(engine, loaded, lookAtMs);
    if (noted !== undefined) return noted;
    loaded = await load(engine, found.invocation.acceptance.id);
  }
  if (loaded !== undefined) throw new Error("others write its hold again and again");
  return undefined;
}

/** @returns undefined where somebody else has written the hold, or a segment, since it was loaded */
async function note(engine: Engine, loaded: Loaded, lookAtMs: number): Promise<Loaded | undefined> {
  const { untilMs } = loaded.lease;
  // A lease that is over may be taken over just now by somebody who has read it, and who would write the entry away again.
  const isDriven = isHeld(engine, loaded, engine.clock.nowMs());
  const lease: Lease = { token: isDriven ? loaded.lease.token : engine.drives.newToken(), untilMs };
  const held = heldByNobody({ ...loaded, lease });
  const how =
    untilMs > 0
      ? ({ status: "running", untilMs, lookAtMs: untilMs } as const)
      : ({ status: "ready", untilMs, lookAtMs } as const);
  const condition = claimCondition(loaded.invocation.segmentIndex, loaded.hold?.token);
  if (!(await writeHold(engine, held, how, condition))) return undefined;
  return { ...loaded, lease, ...(held.hold && { hold: held.hold }) };
}
