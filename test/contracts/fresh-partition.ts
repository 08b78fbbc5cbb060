/** Partition names that no two tests share. */

let partitions = 0;

/** A partition that no other test uses, not even in an earlier run on the same table. */
export function freshPartition(): string {
  return `p${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${partitions++}`;
}
