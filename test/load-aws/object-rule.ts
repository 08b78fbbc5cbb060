/**
 * The rule of objects. Each add found the sum that the one before it left, from nothing to the sum that remains; whoever adds
 * holds the key from before its first committed closure until behind its last, so that no two of them overlap; and what one
 * client had accepted one after the other ran in that order. Attempts that were overtaken while they were stopped may run
 * closures beside the holder: nothing of theirs, neither a nonce nor a sum, is in any result or in the state.
 */
import type { Book, KeyedAdd } from "./book.ts";
import { groupedBy } from "./grouped.ts";

/** @param sumOf the state that remains, by the path of an object */
export function judgeObjects({ added, inOrder }: Book, sumOf: ReadonlyMap<string, number>): string[] {
  const complaints: string[] = [];
  const placeOf = new Map<string, number>();
  for (const [object, adds] of groupedBy(added, (each) => each.object)) {
    const chain = adds.toSorted((one, other) => one.before - other.before);
    complaints.push(...judgeChain(object, chain, sumOf.get(object)));
    for (const [place, { invocationId }] of chain.entries()) placeOf.set(invocationId, place);
  }
  for (const { object, ids } of inOrder) {
    const places = ids.map((id) => placeOf.get(id) ?? NaN);
    const isOrdered = places.every((place, at) => at === 0 || place > places[at - 1]!);
    if (!isOrdered)
      complaints.push(`${object} was added to in the order ${places.join()} of one sender: ${ids.join()}`);
  }
  return complaints;
}

function judgeChain(object: string, chain: readonly KeyedAdd[], left: number | undefined): string[] {
  const complaints: string[] = [];
  const complain = (what: string): void => void complaints.push(`${object} ${what}`);
  let sum = 0;
  let heldToMs = 0;
  for (const { invocationId, before, after, amount, recorded } of chain) {
    if (before !== sum) complain(`held ${sum}, and ${invocationId} found ${before}`);
    if (after !== before + amount) complain(`went from ${before} to ${after} by ${amount}`);
    if (recorded[0]!.atMs < heldToMs) complain(`was held by ${invocationId} and the one before it at once`);
    sum = after;
    heldToMs = recorded.at(-1)!.atMs;
  }
  if (left !== sum) complain(`ended with ${left} instead of ${sum}`);
  return complaints;
}
