/** The key of the arrival that a signal becomes, also as earlier versions made it. */
import type { Effect } from "../../core/invocation/effects.ts";
import { CANCEL_SIGNAL } from "../../core/invocation/entry.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { existingAcceptance } from "../store/existing-acceptance.ts";
import { arrivalKey, awakeableArrival, EARLY } from "../store/item-keys.ts";

type Signal = Extract<Effect, { kind: "signal" }>;

/** Each CANCEL and each named signal takes effect, but only the first completion of an awakeable does. */
export function signalArrival({ signal, senderKey }: Signal): string {
  return isOnce(signal) ? awakeableArrival(signal.index) : `x${senderKey}`;
}

function isOnce(signal: Signal["signal"]): signal is { readonly index: number } {
  return "index" in signal && signal.index !== CANCEL_SIGNAL;
}

/** For redos: true if an earlier version performed the effect, under another key than this version would use. */
export async function hasArrivedFormerly(engine: Engine, effect: Signal): Promise<boolean> {
  const { formerSenderKey, signal } = effect;
  if (formerSenderKey === undefined || isOnce(signal)) return false;
  const existing = await existingAcceptance(engine, effect.invocationId as InvocationId);
  if (existing === undefined) return false;
  for (const owner of [existing["n"] as Nonce, EARLY])
    if ((await engine.table.get(arrivalKey(existing.pk, owner, `x${formerSenderKey}`))) !== undefined) return true;
  return false;
}
