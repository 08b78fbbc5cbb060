/** Names for partitions that no two tests share. */

let partitions = 0;

/** A partition that no other test uses, also not in a table that outlives this run. */
export function freshPartition(): string {
  return `p${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${partitions++}`;
}
