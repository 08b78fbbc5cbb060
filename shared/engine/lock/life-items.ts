/** The items of one life of a workflow beside its lock: state, promises, waiters, and pieces of large values. */
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { readPartition } from "../store/read-partition.ts";

async function itemsOfLife(engine: Engine, pk: string, life: number) {
  const heads = ["state", "promise", "waiter", "blob"].map((name) => `${name}#${life}`);
  const ranges = heads.map((head) => ({ from: `${head}#`, below: `${head}$` }));
  return (await Promise.all(ranges.map((range) => readPartition(engine.table, pk, range)))).flat();
}

export async function expireLife(engine: Engine, pk: string, life: number, expiresAtS: number): Promise<void> {
  await atMost(AT_ONCE, await itemsOfLife(engine, pk, life), async ({ sk }) => {
    await engine.table.update({ pk, sk }, { set: { expiresAtS } }, { kind: "present" });
  });
}

export async function dropLife(engine: Engine, pk: string, life: number): Promise<void> {
  await atMost(AT_ONCE, await itemsOfLife(engine, pk, life), async ({ sk }) => {
    await engine.table.delete({ pk, sk });
  });
}
