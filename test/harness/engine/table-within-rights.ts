/** A table that refuses what the role of a function may not do, as IAM does on AWS, and records each refusal. */
import { isWithin, TABLE_RIGHTS, type PartitionKind, type TableRole } from "../../../shared/config/table-rights.ts";
import { StoreError, type Table, type Write } from "../../../shared/engine/ports/table.ts";

/** What was refused, such as `ingress may not write registry`. */
export type Refusals = Set<string>;

/** The rights that engines of this process have used, such as `ingress write obj#`. */
export const USED_RIGHTS = new Set<string>();

/**
 * @param role the function whose rights apply
 * @param refusals takes what was refused; the engine gets a StoreError, which it may catch
 */
export function tableWithinRights(
  table: Table,
  role: TableRole,
  refusals: { readonly add: (refusal: string) => unknown },
): Table {
  const rights = TABLE_RIGHTS[role];
  const refuse = (what: string): never => {
    refusals.add(`${role} may not ${what}`);
    throw new StoreError(`AccessDenied: ${role} may not ${what}`, { lasts: true });
  };
  const must = (what: string, pk: string, kinds: readonly PartitionKind[]): void => {
    const kind = `${what} ${/^[^#]*#?/.exec(pk)![0]}`;
    if (isWithin(pk, kinds)) USED_RIGHTS.add(`${role} ${kind}`);
    else refuse(kind);
  };
  const read = (pk: string): void => must("read", pk, rights.reads);
  const write = (pk: string): void => must("write", pk, rights.writes);
  const remove = (pk: string): void => must("delete", pk, rights.deletes);
  return {
    async get(key) {
      read(key.pk);
      return await table.get(key);
    },
    async getMany(keys) {
      for (const { pk } of keys) read(pk);
      return await table.getMany(keys);
    },
    async query(pk, range) {
      read(pk);
      return await table.query(pk, range);
    },
    async queryIndex(index, pk, range) {
      if (rights.queriesIndexes !== true) refuse(`query the index ${index}`);
      return await table.queryIndex(index, pk, range);
    },
    async partitions(prefix, after) {
      if (rights.scans !== true) refuse("scan");
      return await table.partitions(prefix, after);
    },
    async put(item, condition) {
      write(item.pk);
      return await table.put(item, condition);
    },
    async update(key, update, condition) {
      write(key.pk);
      return await table.update(key, update, condition);
    },
    async delete(key, condition) {
      remove(key.pk);
      return await table.delete(key, condition);
    },
    async transact(writes) {
      // AWS checks the action of each part. Whether it compares only the key of that part or all keys of the transaction is not
      // documented, so each action of a transaction must be allowed for all its keys.
      const kinds = new Set(writes.map(({ kind }) => (kind === "delete" ? remove : write)));
      for (const check of kinds) for (const one of writes) check(pkOf(one));
      return await table.transact(writes);
    },
  };
}

function pkOf(write: Write): string {
  return write.kind === "put" ? write.item.pk : write.key.pk;
}
