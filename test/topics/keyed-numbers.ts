/** Records with rising numbers for a set of keys, and the accounts that the ledger keeps of them. */
import { call, type ControlPlane } from "./control-plane.ts";
import type { Produced } from "./producer.ts";
import type { Account } from "./sinks.ts";

/** `count` rising numbers, beginning with `from`; each key gets every `keys`-th number. */
export function keyedNumbers(count: number, keys: number, prefix = "k", from = 0): readonly Produced[] {
  return Array.from({ length: count }, (_, at) => ({
    key: `${prefix}${(from + at) % keys}`,
    value: String(from + at),
  }));
}

export async function accounts(plane: ControlPlane, keys: number, prefix = "k"): Promise<readonly Account[]> {
  const names = Array.from({ length: keys }, (_, at) => `${prefix}${at}`);
  return await Promise.all(names.map((name) => call<Account>(plane, `Ledger/${name}/read`)));
}

export function totalOf(found: readonly Account[]): Omit<Account, "last"> {
  const total = { count: 0, sum: 0, disorder: 0 };
  for (const { count, sum, disorder } of found) {
    total.count += count;
    total.sum += sum;
    total.disorder += disorder;
  }
  return total;
}
