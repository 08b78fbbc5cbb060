/** The key of the arrival that a signal becomes. */
import type { Effect } from "../../core/invocation/effects.ts";
import { CANCEL_SIGNAL } from "../../core/protocol/command-parts.ts";
import { awakeableArrival } from "../store/item-keys.ts";

type Signal = Extract<Effect, { kind: "signal" }>;

/** Each CANCEL and each named signal takes effect, but only the first completion of an awakeable does. */
export function signalArrival({ signal, senderKey }: Signal): string {
  return isOnce(signal) ? awakeableArrival(signal.index) : `x${senderKey}`;
}

function isOnce(signal: Signal["signal"]): signal is { readonly index: number } {
  return "index" in signal && signal.index !== CANCEL_SIGNAL;
}
