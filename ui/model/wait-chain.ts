/** The chains of the waits of an invocation, from its own wait down to the last cause. */
import type { WaitBody } from "../../shared/api/contract/invocations.ts";

/** Longer chains are cut in their middle, because the reader looks for the last cause. */
const HOPS_MAX = 5;

export interface WaitChain {
  readonly hops: readonly WaitBody[];
  /** Hops were left out before the last one. */
  readonly isCut: boolean;
}

/** One chain for each last cause, in the order of the waits. */
export function waitChains(waits: readonly WaitBody[]): readonly WaitChain[] {
  return waits.flatMap((wait) => chainsFrom(wait, [])).map(cut);
}

function chainsFrom(wait: WaitBody, above: readonly WaitBody[]): readonly (readonly WaitBody[])[] {
  const hops = [...above, wait];
  const next = wait.waits_for ?? [];
  return next.length === 0 ? [hops] : next.flatMap((one) => chainsFrom(one, hops));
}

function cut(hops: readonly WaitBody[]): WaitChain {
  if (hops.length <= HOPS_MAX) return { hops, isCut: false };
  return { hops: [...hops.slice(0, HOPS_MAX - 1), hops.at(-1)!], isCut: true };
}
