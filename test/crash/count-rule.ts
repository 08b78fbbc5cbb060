/**
 * The rule of objects. The adds to one key return the counts from one to the number of adds, each count once. An add holds the
 * key from before the first closure that it runs until after the last one, so no two adds overlap. If one handler sends several
 * adds to the same key, their counts have the order in which the handler sent them. The final state contains all adds.
 */
import type { Added } from "./account.ts";

/**
 * @param added the adds to the key, in any order
 * @param inOrder for each sending handler, the ids of its adds to the key in the order of sending
 */
export function judgeCounts(
  key: string,
  added: readonly Added[],
  inOrder: readonly (readonly string[])[],
  state: Readonly<Record<string, unknown>>,
): string[] {
  const complaints: string[] = [];
  const complain = (what: string): void => void complaints.push(`key "${key}" ${what}`);
  const counted = added.toSorted((one, other) => one.count - other.count);
  for (const [index, { invocationId, count, fromMs }] of counted.entries()) {
    if (count !== index + 1)
      complain(`was counted to ${count} by ${invocationId}, which is its add number ${index + 1}`);
    const before = counted[index - 1];
    if (before !== undefined && fromMs < before.toMs)
      complain(`was held by ${before.invocationId} and ${invocationId}`);
  }
  const countOf = new Map(counted.map(({ invocationId, count }) => [invocationId, count]));
  for (const asked of inOrder) {
    const counts = asked.map((id) => countOf.get(id) ?? NaN);
    const isOrdered = counts.every((count, index) => index === 0 || count > counts[index - 1]!);
    if (!isOrdered) complain(`was added to in the order ${counts.join()} of one sender`);
  }
  const served = counted.map(({ invocationId }) => invocationId);
  const expected = added.length === 0 ? {} : { count: added.length, served };
  if (state["count"] !== expected.count) complain(`ended with the count ${String(state["count"])} of ${added.length}`);
  if (JSON.stringify(state["served"]) !== JSON.stringify(expected.served)) {
    complain(`served ${JSON.stringify(state["served"])} instead of ${served.join()}`);
  }
  return complaints;
}
