/**
 * The rule of objects. Each add finds the sum that the previous add left, from zero to the final sum. An add holds the key from
 * before its first committed closure until after its last, so no two adds overlap. The sends of one client run in the order of
 * their acceptance. If another process took an attempt over while the first process was stopped, the old attempt may run
 * closures beside the holder. The random ids that these closures recorded, and the sums of the old attempt, appear in no result
 * and in no state.
 */
import type { Book, KeyedAdd } from "./book.ts";
import { groupedBy } from "../grouped.ts";

/** @param sumOf the final state, by the path of an object */
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
