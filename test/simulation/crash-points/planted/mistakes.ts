/** Mistakes in what operators and the passing of time cause; each changes the calls that an engine makes to its table. */
import type { Item, Key, Table, Written } from "../../../../shared/engine/ports/table.ts";
import { acting } from "../../../planted/acts.ts";
import { withTable } from "../../../planted/with-table.ts";
import type { Sabotage } from "../world.ts";

const ACCEPTANCE_SK = "seg#000000";
/** The last part of the stamp of an edit is at least this; that of a segment is below it. */
const EDITS_FROM = 1_000_000_000_000;

const changed =
  (change: (table: Table) => Partial<Table>): Sabotage =>
  (engine) =>
    withTable(engine, change(engine.table));

/** A slice does not remember the entries whose look failed. */
export const forgetfulSlice = changed((table) => ({
  put: async (item, condition): Promise<Written> =>
    item.sk.startsWith("slice#") && Number(item["tries"]) > 0 ? acting({ written: true }) : table.put(item, condition),
}));

/** An edit compares the state with the expected one also after it has begun: it does not recognise its own values. */
export const editComparedAgain = changed((table) => ({
  async query(pk, range) {
    const page = await table.query(pk, range);
    return { ...page, items: page.items.map(withoutStampOfEdit) };
  },
}));

function withoutStampOfEdit(item: Item): Item {
  const { g } = item;
  const isOfEdit = item.sk.startsWith("state#") && typeof g === "string" && Number(g.split(".")[2]) >= EDITS_FROM;
  return isOfEdit ? acting({ ...item, g: "" }) : item;
}

/** A restart writes the acceptance first, and then the beginning that it keeps. */
export const lateBeginning: Sabotage = (engine, generation) => {
  const beginnings = new Map<string, Item>();
  return changed((table) => ({
    async put(item, condition) {
      if (/^seg#.+#000001$/.test(item.sk) && (await isWithoutAcceptance(table, item))) {
        beginnings.set(item.pk, item);
        return acting({ written: true });
      }
      const written = await table.put(item, condition);
      const beginning = item.sk === ACCEPTANCE_SK ? beginnings.get(item.pk) : undefined;
      if (beginning !== undefined) await table.put(beginning, { kind: "absent" });
      return written;
    },
  }))(engine, generation);
};

async function isWithoutAcceptance(table: Table, { pk }: Key): Promise<boolean> {
  return (await table.get({ pk, sk: ACCEPTANCE_SK })) === undefined;
}

/** An invocation that ended before its first attempt leaves the listing, and keeps its input. */
export const keptInput = changed((table) => ({
  async update(key, update, condition) {
    const { b, ...set } = update.set ?? {};
    const isErasure = key.sk === ACCEPTANCE_SK && b !== undefined;
    return await table.update(key, isErasure ? acting({ ...update, set }) : update, condition);
  },
}));

/** Whoever finds the mark of an erasure takes the erasure for done, and leaves the pieces of the input. */
export const markTakenForErased: Sabotage = (engine, generation) => {
  const taken = new Set<string>();
  return changed((table) => ({
    async update(key, update, condition) {
      const isMark = key.sk === ACCEPTANCE_SK && update.set?.["b"] !== undefined && update.remove === undefined;
      if (isMark && (await table.get(key))?.["end"] === true) taken.add(key.pk);
      return await table.update(key, update, condition);
    },
    async delete(key, condition) {
      const isLeft = key.sk.startsWith("blob#") && taken.has(key.pk);
      return isLeft ? acting({ written: true }) : await table.delete(key, condition);
    },
  }))(engine, generation);
};

/** A drop of the journal deletes the items first, and then replaces the end by its bare form. */
export const dropBeforeBareEnd = changed((table) => ({
  async put(item, condition) {
    if (item["endAlone"] === true) {
      const { items } = await table.query(item.pk, { from: "seg#", below: "seg$" });
      for (const { pk, sk } of items)
        if (sk !== ACCEPTANCE_SK && sk !== item.sk) await table.delete(acting({ pk, sk }));
    }
    return await table.put(item, condition);
  },
}));

/** An extension writes the lease record first, and then the other items. */
export const recordExtendedFirst = changed((table) => ({
  async update(key, change, condition) {
    const untilS = change.set?.["expiresAtS"];
    const isExtension = Object.keys(change.set ?? {}).join() === "expiresAtS" && typeof untilS === "number";
    if (isExtension && key.pk.startsWith("inv#")) {
      const { items } = await table.query(key.pk, { from: "hold#", below: "hold$" });
      for (const { pk, sk } of items) await extendRecord(table, acting({ pk, sk }), untilS);
    }
    return await table.update(key, change, condition);
  },
}));

/** The record counts the time until which the invocation may stay open; a retention of three days comes on top for its items. */
async function extendRecord(table: Table, key: Key, untilS: number): Promise<void> {
  const keepUntilS = untilS - 3 * 86_400;
  await table.update(key, { set: { keepUntilS } }, { kind: "less", attribute: "keepUntilS", than: keepUntilS });
}

/** An arrival lives no longer than the acceptance that its writer has read. */
export const arrivalAsShortAsAcceptance = changed((table) => ({
  async put(item, condition) {
    const { expiresAtS } = item;
    if (!item.sk.startsWith("arr#") || typeof expiresAtS !== "number") return await table.put(item, condition);
    return await table.put(acting({ ...item, expiresAtS: expiresAtS - 86_400 }), condition);
  },
}));

/** A promise counts as long as it is stored, although its time to live is over. */
export const endlessPromise = changed((table) => ({
  put: (item, condition) => table.put(item, item.sk.startsWith("promise#") ? acting({ kind: "absent" }) : condition),
}));

/** A schedule moves on first, and its tick is accepted afterwards. */
export const scheduleMovedFirst = changed((table) => ({
  async transact(writes) {
    const [acceptance, state] = writes;
    if (acceptance?.kind !== "put" || state?.kind !== "update" || state.key.pk !== "schedules")
      return await table.transact(writes);
    const moved = await table.update(state.key, state.update, state.condition);
    if (!moved.written) return { written: false, refused: [false, true] };
    await table.put(acceptance.item, acceptance.condition);
    return acting({ written: true });
  },
}));

/** A schedule does not learn that a run has ended. */
export const endUnnoted = changed((table) => ({
  async update(key, update, condition) {
    const state = update.set?.["state"];
    const isEnd = key.pk === "schedules" && typeof state === "string" && state.includes('"outcome":"succeeded"');
    if (!isEnd) return await table.update(key, update, condition);
    return acting({ written: true, item: (await table.get(key)) ?? (key as Item) });
  },
}));
