/** Cancels an invocation: the handler sees the cancel at its next await; an invocation without an attempt ends at once. */
import { hex } from "../../core/model/hex.ts";
import { advance } from "../../core/invocation/advance.ts";
import { CANCEL_SIGNAL } from "../../core/protocol/command-parts.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import { deliverArrival, type NewArrival, openLifeOf } from "../messaging/deliver.ts";
import { drive } from "../drive/drive.ts";
import type { Engine } from "../engine.ts";
import { claim } from "../lease/claim.ts";
import { hasExpired, isLeased, load, pollOf, unperformed } from "../store/load.ts";
import { loadHeads } from "../store/operator-loads.ts";
import { actNow } from "../store/operator-act.ts";
import type { Interruption } from "../ports/submission.ts";
import { wakeNow } from "../messaging/wake.ts";

/** @param by the operator, if one was authenticated */
export async function cancel(engine: Engine, id: InvocationId, by?: string): Promise<Interruption> {
  const loaded = await loadHeads(engine, id);
  if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return "unknown";
  const { phase, acceptance, neverBegan = false } = loaded.invocation;
  if (phase.status === "completed") return "completed";
  const isPausedAtStart = phase.status === "paused" && neverBegan;
  const waits =
    phase.status === "scheduled" || phase.status === "pending" || phase.status === "ready" || isPausedAtStart;
  const arrival: NewArrival = {
    // Each cancel counts, so each has its own key.
    key: `x${hex(engine.ids.random(12))}`,
    content: { kind: "notification", id: { index: CANCEL_SIGNAL }, result: undefined },
    act: actNow(engine, "cancel", by),
  };
  // Without the delay, a worker would race with this process for the claim; the delayed wake is the backstop of this process.
  await deliverArrival(engine, openLifeOf(engine, loaded), arrival, waits ? engine.settings.leaseMs : 0);
  if (!waits) return "noted";
  if (await endNow(engine, id)) return "done";
  await wakeNow(engine, acceptance);
  return "noted";
}

/** An invocation that waits for its start has no driver, so this process claims it and ends it by a poll. */
async function endNow(engine: Engine, id: InvocationId): Promise<boolean> {
  const loaded = await load(engine, id);
  if (loaded === undefined || isLeased(engine, loaded, engine.clock.nowMs())) return false;
  if (loaded.invocation.phase.status === "completed") return true;
  const { step } = advance(loaded.invocation, pollOf(loaded, engine.clock.nowMs()));
  // An invocation that has begun goes on in a worker: the operator's request does not wait for its handler.
  if (step.kind !== "end") return false;
  const active = await claim(engine, loaded, { messageDriven: false });
  return active !== undefined && (await drive(engine, active, unperformed(loaded))) === "ended";
}
